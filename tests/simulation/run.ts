import { quota } from '@tollgate/domain/quota.ts'
import { numberOfStream, type RecordedEvent } from '@tollgate/domain/event.ts'
import { type UserId, userId } from '@tollgate/domain/ids.ts'
import type { Relays } from '@tollgate/domain/ports/hold-owner.ts'
import { makeAdmin } from './actors/admin.ts'
import { makeProjector } from './actors/projector.ts'
import { makeRelay, type Owners, type Relay } from './actors/relay.ts'
import { makeVisitors, type Visit } from './actors/visitors.ts'
import { Watches } from './actors/watch.ts'
import { makeWriter, type Writer } from './actors/writer.ts'
import { askWriters, checkAtRest, checkNoted } from './books/at-rest.ts'
import { type Auditor, makeAuditor } from './books/auditor.ts'
import { type Commands, makeCommands } from './books/commands.ts'
import { probe } from './books/probe.ts'
import { makeRefusals, type Refusals } from './books/refusals.ts'
import { makeTakeOvers, type TakeOvers } from './books/take-overs.ts'
import { makeTokenLimits } from './books/token-limits.ts'
import type { Life } from './core/machine.ts'
import { makeSimulation, type Violation, type Runtime } from './core/simulated-runtime.ts'
import { makeDatabase } from './engines/database.ts'
import type { Engines } from './engines/engines.ts'
import { type Consumer, makeJournal } from './engines/journal.ts'
import { makeLeases } from './engines/leases.ts'
import { makeNetwork } from './engines/network.ts'
import { makeStore } from './engines/store.ts'
import { planClockSteps } from './clock-steps.ts'
import { planFaultSchedule } from './fault-schedule.ts'
import { planFaults } from './fault-plan.ts'
import { planExchange } from './exchange.ts'
import { planPutBack } from './put-back.ts'
import { ACCOUNTS, CHAOS_MS, planWorkload } from './workload.ts'

/** The result of one seed. */
export interface Run {
  readonly seed: number
  readonly violations: readonly Violation[]
  /** How often what happened: events by type, requests by outcome. */
  readonly counts: Readonly<Record<string, number>>
}

/**
 * In one seed of so many the log is put back to an older state, and an operator accepts it later: in every second of them
 * with the whole database, in the others alone, as when a node of a cluster is promoted that lagged.
 */
const PUT_BACK_EVERY = 4
/** In one seed of so many another log stands in the place of the right one for a while. */
const EXCHANGED_EVERY = 8
const EXCHANGED_AT = 6
/** Share of the seeds with a client that never stops. */
const DRAMAS = 0.5
/** Faults have stopped so long ago that every hold of a lost relay has ended. */
const SETTLED_MS = CHAOS_MS + 50_000
const PROBED_MS = SETTLED_MS + 6_000
const END_MS = PROBED_MS + 4_000

/** Runs one seed. `watch` is told of everything that happens. */
export async function run(
  seed: number,
  watch: ((line: string) => void) | null = null,
): Promise<Run> {
  const runtime = makeSimulation(seed, watch)
  const onUnhandled = (error: unknown): void => {
    // A real process logs it and goes on; here it is a failure.
    runtime.violate(
      'unhandled-rejection',
      error instanceof Error ? String(error.stack) : String(error),
    )
  }
  process.on('unhandledRejection', onUnhandled)
  try {
    return await live(runtime)
  } catch (error) {
    runtime.violate('broken-off', String(error))
    return { seed, violations: runtime.violations, counts: {} }
  } finally {
    process.off('unhandledRejection', onUnhandled)
  }
}

async function live(runtime: Runtime): Promise<Run> {
  const books = makeBooks(runtime)
  const { auditor, refusals, commands } = books
  // Chance is left alone, so that the other seeds stay what they are.
  const isPutBack = runtime.seed % PUT_BACK_EVERY === 0
  const isExchanged = runtime.seed % EXCHANGED_EVERY === EXCHANGED_AT
  const isLogInDatabase = runtime.seed % (2 * PUT_BACK_EVERY) === PUT_BACK_EVERY
  const watches = isPutBack || isExchanged ? new Watches(isLogInDatabase) : null
  const { engines, writers, relays, visit, machines, projectors } = compose(runtime, books, watches)
  const admin = makeAdmin(runtime, engines, commands, (account) =>
    findOwners(runtime, writers, account),
  )
  const target = planWorkload(runtime, auditor, refusals, relays, admin)
  if (target !== null && runtime.chances.chance(DRAMAS)) {
    planFaultSchedule(runtime, engines, target, writers, visit)
  } else planFaults(runtime, engines, machines)
  planClockSteps(runtime, machines)
  if (watches !== null) {
    if (isPutBack) planPutBack(runtime, engines, books, watches, machines, projectors)
    else planExchange(runtime, engines, watches, machines)
  }
  await runtime.scheduler.run(CHAOS_MS)
  runtime.calm()
  for (const machine of machines) {
    machine.wake()
    engines.network.setPartitioned(machine.name, false)
    engines.leases.setCut(machine.name, false)
  }
  engines.journal.setStalled(false)
  await runtime.scheduler.run(SETTLED_MS)
  const probes = ACCOUNTS.map((account) => probe(runtime, books, relays, admin, account))
  await runtime.scheduler.run(PROBED_MS)
  for (const { check } of probes) check()
  const looks = askWriters(runtime, auditor, writers, ACCOUNTS)
  await runtime.scheduler.run(END_MS)
  looks.check()
  commands.checkAtRest()
  await checkAtRest(runtime, auditor, engines, relays)
  if (watches !== null) checkNoted(runtime, engines)
  return {
    seed: runtime.seed,
    violations: runtime.violations,
    counts: countsOf(runtime, auditor, engines),
  }
}

interface Books {
  readonly auditor: Auditor
  readonly refusals: Refusals
  readonly commands: Commands
  readonly takeOvers: TakeOvers
  /** `by` is the timeline that whoever appended it works in. */
  readonly see: (event: RecordedEvent, by: string | null) => void
  /** The log was put back: these events are left of it, those are lost. */
  readonly putBack: (kept: readonly RecordedEvent[], lost: readonly RecordedEvent[]) => void
}

function makeBooks(runtime: Runtime): Books {
  const auditor = makeAuditor(runtime)
  const refusals = makeRefusals(runtime, auditor)
  const commands = makeCommands(runtime)
  const tokenLimits = makeTokenLimits(runtime, auditor)
  const takeOvers = makeTakeOvers(runtime, auditor.accounts)
  return {
    auditor,
    refusals,
    commands,
    takeOvers,
    putBack(kept, lost) {
      auditor.putBack(kept, lost)
      refusals.putBack()
      commands.putBack(lost)
      tokenLimits.putBack(kept)
    },
    see(event, by) {
      auditor.see(event, by)
      if (!event.stream.startsWith('account-')) return
      const account = userId(numberOfStream(event.stream))
      refusals.note(account)
      takeOvers.note(account)
      commands.see(event)
      tokenLimits.see(event)
    },
  }
}

interface Composition {
  readonly engines: Engines
  readonly writers: readonly Writer[]
  readonly relays: readonly [Relay, ...Relay[]]
  readonly visit: Visit
  readonly machines: readonly Writer['machine'][]
  /** Among the machines. */
  readonly projectors: readonly Writer['machine'][]
}

function compose(
  runtime: Runtime,
  { auditor, see, takeOvers }: Books,
  watches: Watches | null,
): Composition {
  const writers: Writer[] = []
  const all: Relay[] = []
  const network = makeNetwork(runtime)
  const engines: Engines = {
    network,
    store: makeStore(runtime, (event, by) => {
      watches?.see(runtime, event, by)
      see(event, watches?.logOf(by) ?? null)
    }),
    leases: makeLeases(runtime),
    database: makeDatabase(runtime),
    journal: makeJournal(
      runtime,
      () => writers.map(consumerOf),
      watches !== null,
      (name) => network.isAlone(name),
      {
        onStored: (message) => auditor.stored(message),
        onDrained: (partition) => auditor.drained(partition),
      },
    ),
  }
  const relaysOf = (life: Life): Relays => remoteRelays(engines, life, all)
  const owners: Owners = {
    of: (account) => findOwners(runtime, writers, account),
    granted: (hold, nonce) => auditor.granted(hold, nonce),
  }
  // Events stored before the log was put back, or exchanged, are no measure.
  const onTaken: TakeOvers['taken'] = (...taken) => {
    if (watches === null) takeOvers.taken(...taken)
  }
  for (const name of ['writer-1', 'writer-2']) {
    writers.push(makeWriter(runtime, engines, name, ACCOUNTS, relaysOf, watches, onTaken))
  }
  const first = makeRelay(runtime, engines, 'relay-1', owners, watches)
  const relays: [Relay, ...Relay[]] = [
    first,
    makeRelay(runtime, engines, 'relay-2', owners, watches),
  ]
  all.push(...relays)
  const names = ['projector-1', 'projector-2']
  // Two at once are for the checkpoint's fence, and for nothing else.
  const active = names.slice(0, runtime.chances.chance(0.4) ? 2 : 1)
  const projectors = active.map((name) => makeProjector(runtime, engines, name, watches))
  const machines = [...writers, ...relays].map(({ machine }) => machine)
  const visit = makeVisitors(runtime, engines, owners)
  return { engines, writers, relays, visit, machines: [...machines, ...projectors], projectors }
}

/** The writers that listen for an account's questions; at times the message reaches the others instead. */
function findOwners(
  { chances, faults }: Runtime,
  writers: readonly Writer[],
  account: UserId,
): readonly Writer[] {
  const isMisled = chances.chance(faults().wrongOwner)
  return writers.filter((writer) => isMisled !== (writer.services()?.serves(account) === true))
}

const consumerOf = ({ machine, services }: Writer): Consumer => ({
  machine,
  isConsuming: (account) => services()?.serves(account) === true,
  async take(message) {
    const writer = services()
    if (writer === null) throw new Error(`${machine.name} is still starting`)
    await writer.take(message)
  },
})

/** Relays as an owner reaches them, by the id of their run. */
const remoteRelays = ({ network }: Engines, life: Life, relays: readonly Relay[]): Relays => ({
  async recall(relay, { account, except }, withinMs) {
    const holder = relays.find(({ services }) => services()?.relay === relay)
    const answer = await network.ask({
      from: life,
      to: () => (holder === undefined ? [] : [holder.machine]),
      hear: async () => {
        const services = holder?.services() ?? null
        if (services === null || services.relay !== relay) return null
        return services.keeper.returnIdleQuota(account, except)
      },
      timeoutMs: withinMs,
    })
    return answer ?? quota(0)
  },
})

function countsOf(
  { scheduler }: Runtime,
  { requests }: Auditor,
  { store }: Engines,
): Record<string, number> {
  const counts: Record<string, number> = { steps: scheduler.done() }
  const count = (name: string): void => {
    counts[name] = (counts[name] ?? 0) + 1
  }
  for (const { type, data } of store.log) {
    count(type)
    if (type === 'UsageCharged' && 'late' in data && data.late === true) count('late charges')
  }
  for (const { outcome } of requests.values()) count(`request ${outcome}`)
  return counts
}
