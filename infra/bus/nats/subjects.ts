import { PARTITIONS, partitionOf } from '@tollgate/domain/account/partition.ts'
import type { RelayId, UserId } from '@tollgate/domain/ids.ts'

/** Names on NATS. They are a contract with other parties: README.md beside this lists them. */

/** Consumption events that wait for the ledger. */
export const USAGE_STREAM = 'TOLLGATE_USAGE'
/** Messages that can never be charged, for an operator to look at. */
export const REFUSED_STREAM = 'TOLLGATE_REFUSED'

export const USAGE_SUBJECTS = 'tollgate.usage.>'
export const REFUSED_SUBJECTS = 'tollgate.refused.>'
/** Where NATS repeats each consumption event once it is stored, for whoever wants to listen. */
export const CONSUMPTION_SUBJECTS = 'tollgate.consumption.>'

export const usageSubject = (account: UserId): string =>
  `tollgate.usage.${partitionOf(account)}.${account}`

/** Everything of one partition. */
export const usageOfPartition = (partition: number): string => `tollgate.usage.${partition}.>`

export const refusedSubject = (partition: number): string => `tollgate.refused.${partition}`

/** The durable consumer through which the ledger takes a partition, such as `ledger-07`. */
export const ledgerConsumer = (partition: number): string =>
  `ledger-${String(partition).padStart(String(PARTITIONS - 1).length, '0')}`

/** Where the owner of a partition listens; while two processes believe to own it, both hear and both may answer. */
export const ownerSubject = (partition: number): string => `tollgate.owner.${partition}`

/** Where it listens for commands: each is heard by one process alone, for two would do it twice. */
export const commandSubject = (partition: number): string => `tollgate.owner.${partition}.command`

/** Where one relay listens for recalls; its id is a UUID, thus fit for a subject. */
export const recallSubject = (relay: RelayId): string => `tollgate.relay.${relay}.recall`

/** Where processes tell each other how far they have seen the log. */
export const LOG_MARKS_SUBJECT = 'tollgate.log-marks'

/** Where processes try whether NATS stores what is published, and the stream of one message that does. */
export const PROBE_STREAM = 'TOLLGATE_PROBE'
export const PROBE_SUBJECT = 'tollgate.probe'

/** Where relays tell each other how many requests of each user they let through. */
export const REQUEST_COUNTS_SUBJECT = 'tollgate.request-counts'
