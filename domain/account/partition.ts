import type { UserId } from '../ids.ts'

/**
 * Accounts are divided into this many parts, each with one owner at a time. The number is part of the names of NATS
 * subjects and consumers and of leases: it can only change while nothing runs and the usage journal is empty.
 */
export const PARTITIONS = 32

/** The partition of an account, 0 to PARTITIONS − 1. Ids are given in order, so the remainder spreads them evenly. */
export const partitionOf = (account: UserId): number => account % PARTITIONS
