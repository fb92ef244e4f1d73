import { LOG_START, type RecordedEvent } from '@tollgate/domain/event.ts'
import { type LogId, logId } from '@tollgate/domain/ids.ts'
import { elapsedMs, type Moment } from '@tollgate/domain/moment.ts'
import { EMPTY_STREAM, type EventStore } from '@tollgate/domain/ports/event-store.ts'
import { isSetAside } from '@tollgate/domain/set-aside/events.ts'
import {
  TIMELINE_STREAM,
  type TimelineCause,
  type TimelineOpened,
} from '@tollgate/domain/timeline/events.ts'
import { type Timeline, type Timelines } from '@tollgate/domain/timeline/timelines.ts'
import type { AggregateWriter } from '../aggregates/aggregate.ts'
import { newEvents } from '../aggregates/cause.ts'
import { type LoadedStream, writeDecided } from '../aggregates/write-decided.ts'

/** A first timeline rests on reads of this age at most: behind a standstill another log may stand in this one's place. */
const READS_LAST_MS = 10_000

/** The identities that a log has had, oldest first; none for one from before timelines. Fails with StoreUnavailable. */
export const readTimelines = async (
  store: Pick<EventStore, 'readStream'>,
): Promise<readonly Timeline[]> => (await load(store)).timelines

/** The log's identities; a log without one gets its first. Fails with StoreUnavailable. */
export const ensureTimelines = async (writer: AggregateWriter): Promise<Timelines> =>
  known(await open(writer, 'first-start', isUnnamed, writer.randomness.uuid()))

/**
 * Gives a log without a timeline its first one, `named`. Does nothing when the reads that found the log to be this
 * database's began too long ago: the caller compares again. Fails with StoreUnavailable.
 */
export async function beginTimelines(
  writer: AggregateWriter,
  named: LogId,
  comparedAt: Moment,
): Promise<void> {
  const isDue = (timelines: readonly Timeline[]): boolean =>
    isUnnamed(timelines) && elapsedMs(comparedAt, writer.clock) <= READS_LAST_MS
  await open(writer, 'first-start', isDue, named)
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
  return known(await open(writer, cause, () => true, writer.randomness.uuid()))
}

const isUnnamed = (timelines: readonly Timeline[]): boolean => timelines.length === 0

/** Opens a timeline when it is due. Answers those that there are then, which a node that is behind could not tell. */
async function open(
  writer: AggregateWriter,
  cause: TimelineCause,
  isDue: (timelines: readonly Timeline[]) => boolean,
  name: string,
): Promise<readonly Timeline[]> {
  const { store, randomness } = writer
  const log = logId(name)
  const { loaded, events, at, position } = await writeDecided(writer, {
    stream: TIMELINE_STREAM,
    load: () => load(store),
    decide({ timelines }, context) {
      if (!isDue(timelines)) return { events: [] }
      const previous = timelines.at(-1) ?? null
      const opened: TimelineOpened = {
        type: 'TimelineOpened',
        data: { at: context.at, log, cause, previous: previous?.log ?? null },
      }
      return { events: newEvents([opened], { ...SYSTEM, correlationId: log }, randomness) }
    },
    // A first start is not repeated: behind a lost connection an empty log may stand in the place of one that is used.
    ...(cause === 'first-start' && { attemptsMs: 0 }),
  })
  const opened = events.map(() => ({ log, openedAt: at, position, cause }))
  return [...loaded.timelines, ...opened]
}

function known([first, ...others]: readonly Timeline[]): Timelines {
  if (first === undefined) throw new TypeError('a log has no timeline after one was opened')
  return [first, ...others]
}

const SYSTEM = { actor: 'system', causationId: null } as const

interface LoadedTimelines extends LoadedStream {
  readonly timelines: readonly Timeline[]
}

async function load(store: Pick<EventStore, 'readStream'>): Promise<LoadedTimelines> {
  const timelines: Timeline[] = []
  let [head, last, at] = [EMPTY_STREAM, LOG_START, 0]
  for await (const event of store.readStream(TIMELINE_STREAM)) {
    const { data, position, revision, metadata } = event as RecordedEvent & TimelineOpened
    head = { revision, hash: metadata.hash }
    last = position
    // The next timeline is later than this, also by a clock that is behind.
    at = Math.max(at, data.at + 1)
    if (isSetAside(event)) continue
    timelines.push({ log: data.log, openedAt: data.at, position, cause: data.cause })
  }
  return { timelines, head, position: last, at }
}
