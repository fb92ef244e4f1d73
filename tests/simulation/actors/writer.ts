import { AccountLedger } from '@tollgate/command-api/accounts/account-ledger.ts'
import { HoldService } from '@tollgate/command-api/holds/hold-service.ts'
import {
  ownPartitions,
  type PartitionOwnership,
} from '@tollgate/command-api/accounts/partition-ownership.ts'
import { sweepOpenHolds } from '@tollgate/command-api/holds/partition-sweep.ts'
import { partitionOf } from '@tollgate/domain/account/partition.ts'
import { type HoldId, partsOfHold, type UserId } from '@tollgate/domain/ids.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { ShareWork } from '@tollgate/domain/ports/leases.ts'
import type { Relays } from '@tollgate/domain/ports/hold-owner.ts'
import type { UsageMessage } from '@tollgate/domain/ports/usage-journal.ts'
import { exampleTimelines } from '../../support/example-timelines.ts'
import { shareWork } from '@tollgate/infra/leases/share-work.ts'
import type { TakeOvers } from '../books/take-overs.ts'
import { chancesOf } from '../core/chances.ts'
import { type Life, type Machine, makeMachine } from '../core/machine.ts'
import type { Runtime } from '../core/simulated-runtime.ts'
import { type SimulatedWatch, type Watches, watchLog } from './watch.ts'
import type { SimulatedDatabase } from '../engines/database.ts'
import type { Engines } from '../engines/engines.ts'

/** A ledger writer: the real ledger and hold service, with leases, a consumer of the journal and the sweeps. */
export interface Writer {
  readonly machine: Machine
  /** Null while it is down. */
  readonly services: () => WriterServices | null
}

export interface WriterServices {
  readonly life: Life
  readonly ledger: AccountLedger
  readonly holdService: HoldService
  readonly store: EventStore
  readonly ownership: PartitionOwnership
  /** Whether it takes in the charges of an account and answers its relays: opened when owned, closed when not. */
  serves(account: UserId): boolean
  /** Takes in what the journal has. */
  take(message: UsageMessage): Promise<void>
}

const SWEEP_EVERY_MS = 5_000
/**
 * From a process's start to its first sweep, by the seed. Relays claim as often as owners sweep: without it silence
 * would be noticed at one and the same age in every seed. Chance of its own, so that a seed's faults stay those that it
 * had.
 */
const firstSweepMs = ({ seed }: Runtime): number =>
  chancesOf(seed + 0x5eeb).whole(1, SWEEP_EVERY_MS)
const SILENT = { info() {}, warn() {} }

/** See `Writer`. `relaysOf` is how a writer reaches relays; `onTaken` is told of each partition that it owns from now on. */
export function makeWriter(
  runtime: Runtime,
  engines: Engines,
  name: string,
  accounts: readonly UserId[],
  relaysOf: (life: Life) => Relays,
  watches: Watches | null,
  onTaken: TakeOvers['taken'],
): Writer {
  let services: WriterServices | null = null
  const start = (life: Life, log: SimulatedWatch | null): void => {
    services = compose(runtime, engines, life, accounts, relaysOf(life), log, onTaken)
    void sweep(runtime, services, engines)
  }
  const machine: Machine = makeMachine(runtime, name, (life) => {
    if (watches === null) start(life, null)
    else {
      void watchLog(runtime, engines, watches, life, () => machine, 'writes').then((log) =>
        life.isAlive() ? start(life, log) : undefined,
      )
    }
  })
  return { machine, services: () => (services?.life.isAlive() === true ? services : null) }
}

function compose(
  runtime: Runtime,
  engines: Engines,
  life: Life,
  accounts: readonly UserId[],
  relays: Relays,
  log: SimulatedWatch | null,
  onTaken: TakeOvers['taken'],
): WriterServices {
  const { clock } = life
  const store = log?.store ?? engines.store.portOf(life)
  const timelines = log?.timelines ?? exampleTimelines
  const randomness = { uuid: () => runtime.uuid(), fraction: () => runtime.chances.fraction() }
  const ledger = new AccountLedger({ store, clock, randomness, timelines })
  const ownership = ownPartitions(ledger)
  const holdService = new HoldService({
    ledger,
    clock,
    relays,
    ownership,
    ...(log === null
      ? {}
      : { admit: (seen) => log.watch.admit(seen), seen: () => log.watch.markOfAnswer() }),
  })
  /** Deliveries under way, by open partition. */
  const open = new Map<number, Set<Promise<void>>>()
  const member = runtime.uuid()
  // The partitions without accounts would only cost time.
  const names = [...new Set(accounts.map((account) => String(partitionOf(account))))]
  const share: ShareWork = (work) =>
    shareWork({
      ...work,
      names,
      leases: engines.leases.portOf(life),
      member,
      clock,
      logger: SILENT,
    })
  ownership.start(share, {
    // By the network's time; a process measures from its own start, which is no earlier than it owns anything.
    hearsSince: () =>
      clock.monotonicMs() - (runtime.scheduler.now() - engines.network.backSince(life.name)),
    isReached: () => !engines.network.isAlone(life.name),
    open(partition) {
      runtime.trace(() => `${life.name} owns partition ${partition}`)
      const underWay = new Set<Promise<void>>()
      open.set(partition, underWay)
      onTaken(life, ledger, partition)
      return {
        isDrained: async () => (await engines.journal.isDrained(life, partition)) === true,
        async close() {
          runtime.trace(() => `${life.name} gives partition ${partition} up`)
          open.delete(partition)
          await Promise.allSettled(underWay)
        },
      }
    },
  })
  return {
    life,
    ledger,
    holdService,
    store,
    ownership,
    serves: (account) => open.has(partitionOf(account)),
    async take(message) {
      const underWay = open.get(partitionOf(message.account))
      const taking = holdService.publish(message)
      underWay?.add(taking)
      await taking.finally(() => underWay?.delete(taking))
    },
  }
}

/** The work of the process every few seconds: holds that are open by the read model, and those nobody claims. */
async function sweep(
  runtime: Runtime,
  { life, holdService, ownership }: WriterServices,
  { database }: Engines,
): Promise<void> {
  for (let pauseMs = firstSweepMs(runtime); ; pauseMs = SWEEP_EVERY_MS) {
    await life.clock.sleep(pauseMs)
    await sweepOpenHolds(
      () => ownership.owned(),
      holdService,
      ({ partitions }) => Promise.resolve(openHolds(database, partitions)),
    )
    // A store that is unavailable is asked again at the next sweep.
    await holdService.expireSilentHolds().catch(() => undefined)
  }
}

const openHolds = ({ tables }: SimulatedDatabase, partitions: readonly number[]): HoldId[] =>
  ([...tables.holds.keys()] as HoldId[]).filter((hold) =>
    partitions.includes(partitionOf(partsOfHold(hold).account)),
  )
