import { setTimeout as pause } from 'node:timers/promises'
import type { DoubleCluster } from '../support/engines/eventstoredb-double/cluster.ts'
import type { EventStoreDbDouble } from '../support/engines/eventstoredb-double/double.ts'
import type { Fault } from './faults.ts'

/** How long a cluster is without a leader, at most; real ones had a new one after 1.7 seconds. */
const ELECTION_MOST_MS = 2_500
const PARTITIONED_MOST_MS = 5_000
/** Appends in a row whose answer is lost. */
const APPENDS_MOST = 20

/** The faults of a cluster that keeps the log. */
export class ClusterFaults {
  readonly #cluster: DoubleCluster
  readonly #chance: () => number

  constructor(cluster: DoubleCluster, chance: () => number) {
    this.#cluster = cluster
    this.#chance = chance
  }

  /** One of each, in an order left to chance. */
  each(): Fault[] {
    return this.#makers()
      .map((make) => ({ make, at: this.#chance() }))
      .toSorted((one, other) => one.at - other.at)
      .map(({ make }) => make())
  }

  any(): Fault {
    const makers = this.#makers()
    const make = makers[Math.floor(this.#chance() * makers.length)]
    if (make === undefined) throw new Error('there is no fault of a cluster')
    return make()
  }

  #makers(): readonly (() => Fault)[] {
    return [
      () => this.#killLeader(),
      () => this.#freezeLeader(),
      () => this.#resign(),
      () => this.#killFollower(),
      () => this.#loseAnswers(),
      () => this.#dropSubscribers(),
    ]
  }

  #killLeader(): Fault {
    const [electionMs, partitionedMs] = [
      this.#upTo(ELECTION_MOST_MS),
      this.#upTo(PARTITIONED_MOST_MS),
    ]
    const name = `kill the leading node, another leads after ${electionMs} ms, it is back after ${partitionedMs} more`
    return fault(name, async () => {
      const lost = this.#leader()
      await lost.die()
      await this.#electAnother(lost, electionMs)
      await pause(partitionedMs)
      await lost.comeBack()
    })
  }

  #freezeLeader(): Fault {
    const [electionMs, partitionedMs] = [
      this.#upTo(ELECTION_MOST_MS),
      this.#upTo(PARTITIONED_MOST_MS),
    ]
    const name = `freeze the leading node, another leads after ${electionMs} ms, it goes on after ${partitionedMs} more`
    return fault(name, async () => {
      const lost = this.#leader()
      lost.pause()
      await this.#electAnother(lost, electionMs)
      await pause(partitionedMs)
      lost.resume()
    })
  }

  #resign(): Fault {
    return fault('the leading node resigns and keeps its clients', async () => {
      await this.#electAnother(this.#leader(), 0)
    })
  }

  #killFollower(): Fault {
    const partitionedMs = this.#upTo(PARTITIONED_MOST_MS)
    return fault(`kill a following node for ${partitionedMs} ms`, async () => {
      const follower = this.#another(this.#leader())
      await follower.die()
      await pause(partitionedMs)
      await follower.comeBack()
    })
  }

  #loseAnswers(): Fault {
    const appends = 1 + Math.floor(this.#chance() * APPENDS_MOST)
    const isTimeout = this.#chance() < 0.5
    const how = isTimeout ? 'answered with Timeout' : 'not answered'
    return fault(`${appends} appends are stored and ${how}`, async () => {
      const leader = this.#leader()
      if (isTimeout) leader.storeWithTimeout(appends)
      else leader.storeWithoutAcknowledging(appends)
      await pause(this.#upTo(PARTITIONED_MOST_MS))
      leader.storeWithTimeout(0)
      leader.storeWithoutAcknowledging(0)
    })
  }

  #dropSubscribers(): Fault {
    return fault('drop all subscribers as too slow', () => {
      this.#leader().dropSubscribers()
      return Promise.resolve()
    })
  }

  async #electAnother(lost: EventStoreDbDouble, electionMs: number): Promise<void> {
    this.#cluster.lose()
    await pause(electionMs)
    this.#cluster.elect(this.#another(lost))
  }

  #another(than: EventStoreDbDouble): EventStoreDbDouble {
    const others = this.#cluster.nodes.filter((node) => node !== than)
    const node = others[Math.floor(this.#chance() * others.length)]
    if (node === undefined) throw new Error('the cluster has one node')
    return node
  }

  #leader(): EventStoreDbDouble {
    const { leader } = this.#cluster
    if (leader === null) throw new Error('the cluster has no leader')
    return leader
  }

  #upTo(most: number): number {
    return Math.round(this.#chance() * most)
  }
}

/** The nodes are one target: two faults of them at once would leave too few to elect from. */
const fault = (name: string, strike: () => Promise<void>): Fault => ({
  target: 'cluster',
  name,
  strike,
})
