import { PARTITIONS, partitionOf } from '@tollgate/domain/account/partition.ts'
import type { ShareWork, WorkShare } from '@tollgate/domain/ports/leases.ts'
import type { AccountLedger } from './account-ledger.ts'
import type { Ownership } from './ownership.ts'

/** The group in which writers share the account partitions among themselves. */
const LEDGER_GROUP = 'ledger'

/** How an owner takes in charges and answers relays; between processes a message broker. */
export interface PartitionTransport {
  /**
   * Begins to take in a partition's charges and to answer its relays. Must not fail or wait: it retries failures in the
   * background.
   */
  open(partition: number): OpenPartition
  /**
   * The moment since which relays' messages arrive without interruption, monotonic milliseconds. It stays while the
   * connection is lost and starts anew when it is back: no relay is to blame for silence before that.
   */
  hearsSince(): number
  /** Whether relays can reach this process at present. */
  isReached(): boolean
}

export interface OpenPartition {
  /** Takes in and answers no more; resolves when the work under way is appended and answered. */
  close(): Promise<void>
  /** Whether everything that relays had published for the partition when this was asked is in the log. */
  isDrained(): Promise<boolean>
}

export interface PartitionOwnership extends Ownership {
  /** Partitions that this process owns now. */
  owned(): readonly number[]
  /** Joins those who share the ledger. To be called once, when the transport can serve. */
  start(share: ShareWork, transport: PartitionTransport): void
  /** Hands everything over; resolves within seconds. */
  stop(): Promise<void>
}

/**
 * Makes this process the owner of its fair share of the account partitions. Its memory of a partition's accounts is
 * invalidated whenever it takes the partition. It then takes in charges and answers relays, until another process
 * should own the partition or does. Two processes may believe for a moment that they own the same account: the expected
 * revision of every append tells them apart (architecture 6, rule 1).
 */
export function ownPartitions(ledger: Pick<AccountLedger, 'invalidate'>): PartitionOwnership {
  const open = new Map<string, OpenPartition>()
  let joined: { readonly share: WorkShare; readonly transport: PartitionTransport } | null = null
  return {
    ownedSince(account) {
      const since = joined?.share.heldSince(nameOf(partitionOf(account))) ?? null
      return joined === null || since === null
        ? null
        : Math.max(since, joined.transport.hearsSince())
    },
    isCertain: () => joined?.share.isCertain() === true,
    isBacklogAppended: (partition) =>
      open.get(nameOf(partition))?.isDrained() ?? Promise.resolve(false),
    owned: () => joined?.share.held().map(Number) ?? [],
    start(share, transport) {
      joined = {
        transport,
        share: share({
          group: LEDGER_GROUP,
          isAble: () => transport.isReached(),
          names: Array.from({ length: PARTITIONS }, (_, partition) => nameOf(partition)),
          begin(name) {
            ledger.invalidate((account) => nameOf(partitionOf(account)) === name)
            open.set(name, transport.open(Number(name)))
          },
          async end(name) {
            const partition = open.get(name)
            open.delete(name)
            await partition?.close()
          },
        }),
      }
    },
    stop: () => joined?.share.stop() ?? Promise.resolve(),
  }
}

const nameOf = (partition: number): string => String(partition)
