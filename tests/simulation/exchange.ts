import { newEvents } from '@tollgate/command-api/aggregates/cause.ts'
import type { DomainEvent, RecordedEvent } from '@tollgate/domain/event.ts'
import { LOG_CLAIMS_STREAM } from '@tollgate/domain/log-claim/events.ts'
import { TIMELINE_STREAM } from '@tollgate/domain/timeline/events.ts'
import type { Watches } from './actors/watch.ts'
import type { Machine } from './core/machine.ts'
import type { Runtime } from './core/simulated-runtime.ts'
import type { Engines } from './engines/engines.ts'
import type { OtherLog } from './engines/store.ts'

const EXCHANGED_AT_MS = [12_000, 28_000] as const
const BACK_AFTER_MS = [500, 15_000] as const
/** Share of the processes, at each of both moments. */
const STARTED_ANEW = 0.3
/** Share of the seeds: a process stands still in its first start, and goes on with the other log before it. */
const ASLEEP_AT_START = 0.3
const START_MS = [10, 120] as const
const AWAKE_AFTER_MS = 400
/** Share of the other logs, which a database claimed that is not ours. */
const CLAIMED = 0.5
const CREDITS = [1, 40] as const

/**
 * Plans that another log stands in the place of the right one for a while: a name that points elsewhere, another server's
 * folder. Its accounts have the same names, and may have as many events. Some processes start anew then, and some when the
 * right one is back.
 */
export function planExchange(
  runtime: Runtime,
  { store }: Engines,
  watches: Watches,
  machines: readonly Machine[],
): void {
  const { scheduler, chances } = runtime
  const at = chances.whole(...EXCHANGED_AT_MS)
  const change = (other: () => OtherLog | null): void => {
    store.exchange(other())
    for (const machine of machines) if (chances.chance(STARTED_ANEW)) machine.crash()
    watches.loseConnections()
  }
  if (chances.chance(ASLEEP_AT_START)) {
    const sleeper = machines[chances.whole(0, machines.length - 1)]
    const from = chances.whole(...START_MS)
    const until = at + chances.whole(1, AWAKE_AFTER_MS)
    scheduler.at(from, () => sleeper?.pause(until - from))
  }
  const kinds = [emptyLog, logOfOthers, copyThatWentOn] as const
  scheduler.at(at, () => change(() => chances.pick(kinds)(runtime, store.log)))
  scheduler.at(at + chances.whole(...BACK_AFTER_MS), () => change(() => null))
}

/** A server where nothing was stored yet. */
const emptyLog = (): OtherLog => ({ common: 0, own: [] })

/** Another Tollgate's: by their streams and revisions its events could be ours. */
function logOfOthers(runtime: Runtime, log: readonly RecordedEvent[]): OtherLog {
  const { chances, uuid } = runtime
  const ours = log.slice(0, chances.whole(1, log.length))
  const accounts = ours
    .filter(({ stream }) => stream.startsWith('account-'))
    .map(({ stream, type, data, metadata }) => ({
      stream,
      event: { id: uuid(), type, data, metadata: { ...metadata, correlationId: uuid() } },
    }))
  const at = runtime.scheduler.now() + chances.whole(-1_000_000, 1_000_000)
  return {
    common: 0,
    own: [timeline(runtime, at, 'first-start', null), ...claim(runtime), ...accounts],
  }
}

/** A copy of ours that another database has gone on with. */
function copyThatWentOn(runtime: Runtime, log: readonly RecordedEvent[]): OtherLog {
  const { chances } = runtime
  const opened = log.findLast(({ stream }) => stream === TIMELINE_STREAM)
  const previous = opened === undefined ? null : String((opened.data as { log?: unknown }).log)
  const credit = log.findLast(({ type }) => type === 'QuotaCredited')
  const at = Math.max(...log.map(({ data }) => data.at)) + 1
  const credits = Array.from({ length: chances.whole(...CREDITS) }, () =>
    credit === undefined ? [] : [made(runtime, credit.stream, credit)],
  )
  return {
    common: chances.chance(0.5) ? log.length : chances.whole(1, log.length),
    own: [timeline(runtime, at, 'accept-rollback', previous), ...claim(runtime), ...credits.flat()],
  }
}

function timeline(runtime: Runtime, at: number, cause: string, previous: string | null) {
  const data = { at, log: runtime.uuid(), cause, previous }
  return made(runtime, TIMELINE_STREAM, { type: 'TimelineOpened', data })
}

function claim(runtime: Runtime): readonly OtherLog['own'][number][] {
  if (!runtime.chances.chance(CLAIMED)) return []
  const data = { at: 0, claim: runtime.uuid() }
  return [made(runtime, LOG_CLAIMS_STREAM, { type: 'LogClaimConfirmed', data })]
}

function made(
  { uuid, chances }: Runtime,
  stream: string,
  { type, data }: DomainEvent,
): OtherLog['own'][number] {
  const cause = { actor: 'system', correlationId: uuid(), causationId: null } as const
  const randomness = { uuid, fraction: () => chances.fraction() }
  const [event] = newEvents([{ type, data }], cause, randomness)
  if (event === undefined) throw new TypeError('one event was asked for')
  return { stream, event }
}
