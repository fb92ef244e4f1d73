import { FREQUENT_EVENT_TYPES } from '@tollgate/domain/account/event-types.ts'
import { LOG_START, type Position, type RecordedEvent } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventStore, StreamFilter } from '@tollgate/domain/ports/event-store.ts'
import {
  currentTimeline,
  positionHere,
  type Timelines,
} from '@tollgate/domain/timeline/timelines.ts'
import { readTimelines } from '../../timelines/timelines.ts'
import { decidingEvent } from './deciding-event.ts'
import type { EventTriggeredWorkflow } from './workflow.ts'
import type { BegunWorkflow, WorkflowTable } from './workflow-table.ts'

export interface Following {
  readonly store: Pick<EventStore, 'subscribeAll' | 'readStream' | 'newestAt'>
  readonly table: WorkflowTable
  readonly clock: Clock
  readonly timelines: Timelines
  readonly kinds: readonly EventTriggeredWorkflow[]
  /** Called when workflows have begun. */
  readonly onBegun: () => void
  readonly onFailure: (error: unknown) => void
}

/** Without decisions the checkpoint is moved this often: reading events again at a restart costs time only. */
const CHECKPOINT_EVERY_MS = 5_000
/** Processes that had not noticed that the log was put back appended for no longer than this. */
const UNNOTICED_MAX_MS = 24 * 3_600_000
/** Pause before the log is followed again after a failure. */
const AGAIN_MS = 1_000

/** Follows the log from the checkpoint and notes the workflows that its events begin, until the signal aborts. */
export async function followDecisions(following: Following, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await followFromCheckpoint(following, signal)
    } catch (error) {
      following.onFailure(error)
    }
    await following.clock.sleep(AGAIN_MS, signal)
  }
}

/** Ends when the signal aborts or another manager has moved the checkpoint. */
async function followFromCheckpoint(following: Following, signal: AbortSignal): Promise<void> {
  const { store, table, clock, timelines, kinds, onBegun } = following
  const { log } = currentTimeline(timelines)
  const stored = await table.checkpoint({ position: LOG_START, log })
  let from = positionHere(stored, timelines)
  if (stored.log !== log) {
    // Only for the log's present timeline: a process that goes by an older one is about to begin anew.
    if (stored.log !== null && (await readTimelines(store)).at(-1)?.log !== log) return
    await dropLost(store, table)
    if (timelines.length > 1) await beginUnnoticed(following, from, signal)
    if (signal.aborted) return
    const isMoved = await table.advance({ from: stored.position, to: from, log }, [], clock.now())
    if (!isMoved) return
  }
  let movedAt = clock.monotonicMs()
  for await (const batch of store.subscribeAll(from, filterOf(kinds), signal)) {
    const begun = batch.events.flatMap((event) => begunBy(event, kinds))
    const isTimeToMove = clock.monotonicMs() - movedAt >= CHECKPOINT_EVERY_MS
    if (batch.position <= from || (begun.length === 0 && !isTimeToMove)) continue
    const to = batch.position
    if (!(await table.advance({ from, to, log }, begun, clock.now()))) return
    from = to
    movedAt = clock.monotonicMs()
    if (begun.length > 0) onBegun()
  }
}

/**
 * Between the moment when the log was put back and the one when every process had noticed, decisions were appended at
 * positions that the checkpoint had passed. Where they begin is not known, so the last day before `to` is looked at once
 * more; what was done then is found by its causation ids and not done again.
 */
async function beginUnnoticed(
  { store, table, clock, kinds }: Following,
  to: Position,
  signal: AbortSignal,
): Promise<void> {
  const newest = await store.newestAt(to)
  if (newest === null || kinds.length === 0) return
  const since = newest.recordedAt - UNNOTICED_MAX_MS
  for await (const batch of store.subscribeAll(LOG_START, filterOf(kinds), signal)) {
    const recent = batch.events.filter(
      ({ position, recordedAt }) => position <= to && recordedAt >= since,
    )
    await table.note(
      recent.flatMap((event) => begunBy(event, kinds)),
      clock.now(),
    )
    if (batch.position >= to) return
  }
}

/** Work that a lost decision began has nothing to go on from. */
async function dropLost(store: Following['store'], table: WorkflowTable): Promise<void> {
  for (const process of await table.decided()) {
    if ((await decidingEvent(store, process)) === null) await table.finish(process)
  }
}

const begunBy = (
  event: RecordedEvent,
  kinds: readonly EventTriggeredWorkflow[],
): readonly BegunWorkflow[] =>
  kinds
    .filter((kind) => isDecidedBy(event, kind))
    .map(({ kind }) => ({
      id: event.id,
      kind,
      decision: { stream: event.stream, revision: event.revision },
    }))

function isDecidedBy(event: RecordedEvent, kind: EventTriggeredWorkflow): boolean {
  const isOfKind =
    kind.eventTypes.includes(event.type) &&
    kind.streamPrefixes.some((prefix) => event.stream.startsWith(prefix))
  if (!isOfKind) return false
  try {
    return kind.isDecidedBy(event)
  } catch {
    // Noted, its steps fail in the same way: that is seen by people, and nothing behind it has to wait.
    return true
  }
}

function filterOf(kinds: readonly EventTriggeredWorkflow[]): StreamFilter {
  const wanted = new Set(kinds.flatMap(({ eventTypes }) => eventTypes))
  return {
    streamPrefixes: [...new Set(kinds.flatMap(({ streamPrefixes }) => streamPrefixes))],
    exceptTypes: FREQUENT_EVENT_TYPES.filter((type) => !wanted.has(type)),
  }
}
