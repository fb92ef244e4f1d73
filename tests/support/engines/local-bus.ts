import { PARTITIONS, partitionOf } from '@tollgate/domain/account/partition.ts'
import type { HoldService } from '@tollgate/command-api/holds/hold-service.ts'
import type {
  OpenPartition,
  PartitionTransport,
} from '@tollgate/command-api/accounts/partition-ownership.ts'
import { type HoldId, partsOfHold, type RelayId, type UserId } from '@tollgate/domain/ids.ts'
import { type HoldOwner, HoldOwnerUnavailable } from '@tollgate/domain/ports/hold-owner.ts'
import type { UsageJournal, UsageMessage } from '@tollgate/domain/ports/usage-journal.ts'

/** Charges that one owner works on at once. */
const IN_FLIGHT_MAX = 20

/**
 * The bus between relays and owners when they are different processes, in memory: a work queue per partition that gives
 * every message to one consumer until one has taken it in, and questions that go to whoever serves.
 */
export class LocalBus implements UsageJournal {
  readonly #queues = Array.from({ length: PARTITIONS }, (): UsageMessage[] => [])
  readonly #unanswered = Array.from({ length: PARTITIONS }, () => 0)
  readonly #servers = Array.from({ length: PARTITIONS }, () => new Set<Server>())
  #turn = 0
  #taken = 0

  /** How relays ask; a partition that nobody serves answers as a broker does. */
  readonly owner: HoldOwner = {
    placeHold: (ask) =>
      this.#serverOf(ask.account).then((holdService) => holdService.placeHold(ask)),
    extendHold: (ask) =>
      this.#serverOf(partsOfHold(ask.hold).account).then((holdService) =>
        holdService.extendHold(ask),
      ),
    claimHolds: (relay, holds) => this.#claim(relay, holds),
    finishHold: (hold, final) =>
      this.#serverOf(partsOfHold(hold).account).then((holdService) =>
        holdService.finishHold(hold, final),
      ),
  }

  publish(message: UsageMessage): Promise<void> {
    const partition = partitionOf(message.account)
    this.#queues[partition]?.push(message)
    this.#next(partition)?.pull()
    return Promise.resolve()
  }

  isEmpty(): boolean {
    return (
      this.#queues.every((queue) => queue.length === 0) && this.#unanswered.every((n) => n === 0)
    )
  }

  /** How many messages owners have taken in, repeated ones included. */
  taken(): number {
    return this.#taken
  }

  /** One owner's end; `hearsSince` in the clock of the test. */
  transportOf(holdService: HoldService, hearsSince: number): PartitionTransport & { cut(): void } {
    const servers = new Set<Server>()
    return {
      hearsSince: () => hearsSince,
      isReached: () => true,
      open: (partition) => {
        const server = this.#serve(partition, holdService)
        servers.add(server)
        return server
      },
      /** As if the process were killed: what it works on is given to others, and nobody hears its answers. */
      cut() {
        for (const server of servers) server.cut()
      },
    }
  }

  #serve(partition: number, holdService: HoldService): Server {
    const queue = this.#queues[partition] ?? []
    const servers = this.#servers[partition] ?? new Set()
    const working = new Set<Promise<void>>()
    const taking = new Set<UsageMessage>()
    let isOpen = true
    const giveBack = (message: UsageMessage): void => {
      if (!taking.delete(message)) return
      this.#count(partition, -1)
      queue.push(message)
      for (const other of servers) other.pull()
    }
    const take = async (message: UsageMessage): Promise<void> => {
      try {
        await holdService.publish(message)
        this.#taken += 1
        if (taking.delete(message)) this.#count(partition, -1)
      } catch {
        // Not acknowledged: whoever serves the partition gets it again.
        giveBack(message)
      }
    }
    const server: Server = {
      holdService,
      pull: () => {
        while (working.size < IN_FLIGHT_MAX) {
          const message = isOpen ? queue.shift() : undefined
          if (message === undefined) return
          this.#count(partition, 1)
          taking.add(message)
          const work = take(message).finally(() => {
            working.delete(work)
            server.pull()
          })
          working.add(work)
        }
      },
      cut() {
        isOpen = false
        servers.delete(server)
        for (const message of taking) giveBack(message)
      },
      async close() {
        isOpen = false
        servers.delete(server)
        await Promise.all(working)
      },
      isDrained: () =>
        Promise.resolve(queue.length === 0 && (this.#unanswered[partition] ?? 0) === 0),
    }
    servers.add(server)
    server.pull()
    return server
  }

  #count(partition: number, change: number): void {
    this.#unanswered[partition] = (this.#unanswered[partition] ?? 0) + change
  }

  /** With several that serve the same partition, now one has its turn, now another. */
  #next(partition: number): Server | undefined {
    const servers = [...(this.#servers[partition] ?? [])]
    return servers[this.#turn++ % Math.max(1, servers.length)]
  }

  async #serverOf(account: UserId): Promise<HoldService> {
    const server = this.#next(partitionOf(account))
    if (server === undefined) throw new HoldOwnerUnavailable('nobody serves the partition')
    return server.holdService
  }

  async #claim(relay: RelayId, holds: readonly HoldId[]): Promise<readonly HoldId[]> {
    const heard = holds.map(async (hold) => {
      const servers = this.#servers[partitionOf(partsOfHold(hold).account)] ?? []
      for (const { holdService } of servers) {
        if ((await holdService.claimHolds(relay, [hold])).length > 0) return [hold]
      }
      return []
    })
    return (await Promise.all(heard)).flat()
  }
}

interface Server extends OpenPartition {
  readonly holdService: HoldService
  pull(): void
  cut(): void
}
