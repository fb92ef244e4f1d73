import type { RecordedEvent } from '@tollgate/domain/event.ts'
import { type LogId, logId } from '@tollgate/domain/ids.ts'
import { elapsedMs, type Moment } from '@tollgate/domain/moment.ts'
import {
  EMPTY_STREAM,
  type EventStore,
  type StreamHead,
} from '@tollgate/domain/ports/event-store.ts'
import { isSetAside } from '@tollgate/domain/set-aside/events.ts'
import {
  TIMELINE_STREAM,
  type TimelineCause,
  type TimelineOpened,
} from '@tollgate/domain/timeline/events.ts'
import { type Timeline, type Timelines } from '@tollgate/domain/timeline/timelines.ts'
import type { AggregateWriter } from './aggregate.ts'
import { appendUntilKnown } from './append.ts'
import { newEvents } from './cause.ts'

/** How long a store that does not answer is asked again. */
const ATTEMPTS_MS = 10_000
/** A first timeline rests on reads of this age at most: behind a standstill another log may stand in this one's place. */
const READS_LAST_MS = 10_000

/** The identities that a log has had, oldest first; none for one from before timelines. Fails with StoreUnavailable. */
export const readTimelines = async (
  store: Pick<EventStore, 'readStream'>,
): Promise<readonly Timeline[]> => (await load(store)).timelines

/** The log's identities; a log without one gets its first. Fails with StoreUnavailable. */
export async function ensureTimelines(writer: AggregateWriter): Promise<Timelines> {
  for (;;) {
    const { timelines, head } = await load(writer.store)
    const [first, ...others] = timelines
    if (first !== undefined) return [first, ...others]
    await append(writer, null, head, 'first-start')
  }
}

/**
 * Gives a log without a timeline its first one, `named`. Does nothing when the reads that found the log to be this
 * database's began too long ago: the caller compares again. Fails with StoreUnavailable.
 */
export async function beginTimelines(
  writer: AggregateWriter,
  named: LogId,
  comparedAt: Moment,
): Promise<void> {
  const { timelines, head } = await load(writer.store)
  if (timelines.length > 0 || elapsedMs(comparedAt, writer.clock) > READS_LAST_MS) return
  await append(writer, null, head, 'first-start', named)
}

/**
 * Opens another timeline: the log was put back to an older state, and nothing that was named after that state may be
 * taken for something that is named from now on. Answers the timelines, the new one last. Fails with StoreUnavailable.
 */
export async function openTimeline(
  writer: AggregateWriter,
  cause: Exclude<TimelineCause, 'first-start'>,
): Promise<Timelines> {
  await ensureTimelines(writer)
  for (;;) {
    const { timelines, head } = await load(writer.store)
    const [first, ...others] = timelines
    if (first === undefined) continue
    const opened = await append(writer, timelines.at(-1) ?? null, head, cause)
    // Not read back: a node that is behind would answer the timeline of before.
    if (opened !== null) return [first, ...others, opened]
  }
}

/** Null when somebody else appended first. */
async function append(
  { store, clock, randomness }: AggregateWriter,
  previous: Timeline | null,
  head: StreamHead,
  cause: TimelineCause,
  named: LogId | null = null,
): Promise<Timeline | null> {
  const log = named ?? logId(randomness.uuid())
  // Later than what came before, also by a clock that is behind.
  const at = Math.max(clock.now(), (previous?.openedAt ?? 0) + 1)
  const opened: TimelineOpened = {
    type: 'TimelineOpened',
    data: { at, log, cause, previous: previous?.log ?? null },
  }
  const events = newEvents([opened], { ...SYSTEM, correlationId: log }, randomness)
  const givenUpAt = clock.monotonicMs() + ATTEMPTS_MS
  // A first start is not repeated: behind a lost connection an empty log may stand in the place of one that is used.
  const isTooLate = (): boolean => cause === 'first-start' || clock.monotonicMs() > givenUpAt
  const stored = await appendUntilKnown(store, clock, TIMELINE_STREAM, events, head, isTooLate)
  return stored === null ? null : { log, openedAt: at, position: stored.position, cause }
}

const SYSTEM = { actor: 'system', causationId: null } as const

async function load(
  store: Pick<EventStore, 'readStream'>,
): Promise<{ readonly timelines: readonly Timeline[]; readonly head: StreamHead }> {
  const timelines: Timeline[] = []
  let head = EMPTY_STREAM
  for await (const event of store.readStream(TIMELINE_STREAM)) {
    const { data, position, revision, metadata } = event as RecordedEvent & TimelineOpened
    head = { revision, hash: metadata.hash }
    if (isSetAside(event)) continue
    timelines.push({ log: data.log, openedAt: data.at, position, cause: data.cause })
  }
  return { timelines, head }
}
