import { type ChainLink, LOG_START, type Position } from '@tollgate/domain/event.ts'
import {
  EMPTY_STREAM,
  RevisionConflict,
  StoreUnavailable,
} from '@tollgate/domain/ports/event-store.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { SEALS_STREAM } from '@tollgate/domain/seal/events.ts'
import { isStreamOfTollgate } from '@tollgate/domain/stream-names.ts'
import { TIMELINE_STREAM } from '@tollgate/domain/timeline/events.ts'
import type { AuditableEventStore, StoredHead } from '../event-store/auditable-store.ts'
import { backOffMs } from '@tollgate/domain/kernel/back-off.ts'
import { sizeOf } from '../event-store/chain.ts'
import { examineStream } from '../event-store/examine-stream.ts'
import type { StoredEvent } from '../event-store/stored-event.ts'

/** The target holds something else than a copy of the source; the message says what, and what to do. */
export class NotACopy extends Error {
  readonly code = 'NOT_A_COPY'
  readonly retryable = false
  constructor(message: string) {
    super(message)
    this.name = 'NotACopy'
  }
}

export interface CopyOptions {
  readonly source: Pick<AuditableEventStore, 'readStoredLog' | 'readStoredStream' | 'headPosition'>
  readonly target: Pick<AuditableEventStore, 'readStoredLog' | 'appendStored'>
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>
  readonly onProgress: (progress: CopyProgress) => void
}

export interface CopyProgress {
  /** Position in the source. */
  readonly position: Position
  readonly head: Position
  readonly events: number
}

export interface CopyReport {
  /** Events of the source: those that stood in the target before, and those that were appended now. */
  readonly there: number
  readonly appended: number
  /** The target goes on behind the copy with a timeline and seals of its own, of a copy that had been whole before. */
  readonly wasWhole: boolean
}

const PAGE_EVENTS = 1_000
/** Limits of one append: far below the 1 MiB that an engine takes. */
const APPEND_EVENTS_MAX = 200
const APPEND_BYTES_MAX = 512 * 1024
/** How long a target that does not answer is asked again. */
const ATTEMPTS_MS = 60_000

/**
 * Copies the log event by event, with ids, revisions, bytes and the order across streams; nothing may be appended to
 * either log meanwhile. Events that stand in the target already are compared, so that a copy that was stopped goes on
 * where it was. Fails with NotACopy, InvalidAppend for events that are not what was hashed, and StoreUnavailable.
 */
export async function copyLog({
  source,
  target,
  clock,
  onProgress,
}: CopyOptions): Promise<CopyReport> {
  const head = await source.headPosition()
  const heads = new Map<string, StoredHead>()
  const setAside = setAsideIn(source)
  const present = cursorOf(target)
  let there = 0
  let appended = 0
  let group: StoredEvent[] = []
  let expected: StoredHead = EMPTY_STREAM
  const flush = async (): Promise<void> => {
    const [first] = group
    if (first === undefined) return
    await appendAll({ target, clock }, group, expected, setAside.known(first.stream))
    appended += group.length
    group = []
  }
  let bytes = 0
  for await (const event of eventsOf(source, head)) {
    const before = heads.get(event.stream) ?? EMPTY_STREAM
    heads.set(event.stream, await setAside.follow(event, before))
    const stands = appended === 0 && group.length === 0 ? await present.next() : null
    if (stands !== null) {
      if (!isSame(stands, event)) throw differs(stands, event)
      there += 1
    } else {
      const isFull = group.length === APPEND_EVENTS_MAX || bytes + sizeOf(event) > APPEND_BYTES_MAX
      if (isFull || group[0]?.stream !== event.stream) {
        await flush()
        bytes = 0
        expected = before
      }
      group.push(event)
      bytes += sizeOf(event)
    }
    const events = there + appended
    if (events % PAGE_EVENTS === 0) onProgress({ position: event.position, head, events })
  }
  await flush()
  onProgress({ position: head, head, events: there + appended })
  return { there, appended, wasWhole: appended === 0 && (await goesOn(present)) }
}

/** False when nothing follows. Fails with NotACopy for anything but what ends a copy. */
async function goesOn(present: Cursor): Promise<boolean> {
  let count = 0
  for (let event = await present.next(); event !== null; event = await present.next()) {
    if (event.stream !== TIMELINE_STREAM && event.stream !== SEALS_STREAM) {
      throw new NotACopy(
        `the target goes on behind the copy: ${event.type} stands at revision ${event.revision} of ${event.stream}. Somebody has worked on it; Tollgate may be started there, or the target emptied to copy anew.`,
      )
    }
    count += 1
  }
  return count > 0
}

interface Cursor {
  next(): Promise<StoredEvent | null>
}

function cursorOf(store: CopyOptions['target']): Cursor {
  const events = eventsOf(store, Infinity)
  return {
    async next() {
      const { value, done } = await events.next()
      return done === true ? null : value
    },
  }
}

/** Tollgate's own events, in order, up to a position. */
async function* eventsOf(
  store: Pick<AuditableEventStore, 'readStoredLog'>,
  head: Position,
): AsyncGenerator<StoredEvent, void, undefined> {
  for (let after = LOG_START; ;) {
    const page = await store.readStoredLog(after, PAGE_EVENTS)
    for (const event of page) {
      if (event.position > head) return
      if (isStreamOfTollgate(event.stream)) yield event
    }
    if (page.length < PAGE_EVENTS) return
    after = page.at(-1)?.position ?? after
  }
}

async function appendAll(
  {
    target,
    clock,
  }: { readonly target: CopyOptions['target']; readonly clock: CopyOptions['clock'] },
  events: readonly StoredEvent[],
  expected: StoredHead,
  foreign: Pick<ReadonlySet<number>, 'has'>,
): Promise<void> {
  const [first] = events
  const givenUpAt = clock.monotonicMs() + ATTEMPTS_MS
  for (let failures = 1; ; failures += 1) {
    try {
      await target.appendStored(first?.stream ?? '', events, expected, foreign)
      return
    } catch (error) {
      if (error instanceof RevisionConflict) {
        throw new NotACopy(
          `${error.message}: somebody writes to the target. Stop every Tollgate that uses it, then run the command again.`,
        )
      }
      if (!(error instanceof StoreUnavailable) || clock.monotonicMs() > givenUpAt) throw error
      await clock.sleep(backOffMs(failures))
    }
  }
}

const isSame = (one: StoredEvent, other: StoredEvent): boolean =>
  one.stream === other.stream &&
  one.revision === other.revision &&
  one.id === other.id &&
  one.type === other.type &&
  one.dataText === other.dataText &&
  one.metadataText === other.metadataText

const differs = (stands: StoredEvent, event: StoredEvent): NotACopy =>
  new NotACopy(
    `the target holds another log: ${stands.type} at revision ${stands.revision} of ${stands.stream} stands where the source has ${event.type} at revision ${event.revision} of ${event.stream}. Name an empty target.`,
  )

interface SetAsideEvents {
  /** Revisions set aside in a stream, as far as its events have passed by. */
  known(stream: string): Pick<ReadonlySet<number>, 'has'>
  /** Where the stream ends with one more event. */
  follow(event: StoredEvent, before: StoredHead): Promise<StoredHead>
}

/** Events of other clients that were set aside go along; the rest of a stream follows the last event before them. */
function setAsideIn(source: CopyOptions['source']): SetAsideEvents {
  const byStream = new Map<string, ReadonlyMap<number, unknown>>()
  const none: ReadonlyMap<number, unknown> = new Map()
  const known = (stream: string): ReadonlyMap<number, unknown> => byStream.get(stream) ?? none
  return {
    known,
    async follow({ stream, revision, metadataText }, before) {
      const { prevHash, hash } = linkIn(metadataText)
      if (prevHash !== before.hash && !byStream.has(stream)) {
        byStream.set(stream, (await examineStream(source, stream)).setAside)
      }
      return known(stream).has(revision)
        ? { revision, hash: before.hash, storedHash: '' }
        : { revision, hash }
    },
  }
}

/** Empty texts where there is none: what was not written by Tollgate is refused when it is appended. */
function linkIn(metadataText: string): { readonly prevHash: string; readonly hash: string } {
  try {
    const { prevHash = '', hash = '' } = (JSON.parse(metadataText) ?? {}) as Partial<ChainLink>
    return { prevHash, hash }
  } catch {
    return { prevHash: '', hash: '' }
  }
}
