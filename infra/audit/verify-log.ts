import type { LedgerHead } from '@tollgate/command-api/audit/seals.ts'
import {
  isOncePerCause,
  type RepeatedFact,
  RepeatedFacts,
} from '@tollgate/domain/account/repeated-facts.ts'
import { LOG_START, type Position, type RecordedEvent } from '@tollgate/domain/event.ts'
import {
  type CutStream,
  EMPTY_STREAM,
  ForeignEvent,
  type StreamHead,
} from '@tollgate/domain/ports/event-store.ts'
import { isStreamOfTollgate } from '@tollgate/domain/stream-names.ts'
import { SEALS_STREAM } from '@tollgate/domain/seal/events.ts'
import { SET_ASIDE } from '@tollgate/domain/set-aside/events.ts'
import type { AuditableEventStore } from '../event-store/auditable-store.ts'
import { verifyEvent } from '../event-store/chain.ts'
import { type ExaminedStream, examineStream } from '../event-store/examine-stream.ts'
import { type ChainColumns, decodedOr, type StoredEvent } from '../event-store/stored-event.ts'
import { UPCASTERS } from '../event-store/upcasters.ts'
import { hashesIn } from '../event-store/stream-link.ts'
import { type ExplainedSeal, openSealCheck, readSealOutline, type SealCheck } from './seal-check.ts'

/** Where the log is not what it was: the first place, in log order. */
export interface LogBreak {
  readonly position: Position
  /** Stream of the event that stands there; null where none does. */
  readonly stream: string | null
  readonly revision: number | null
  readonly eventId: string | null
  readonly type: string | null
  /** In words, with the values. */
  readonly expected: string
  readonly found: string
}

export interface VerifyReport {
  /** Figures of the walk, up to `position` (LOG_START for an empty log), or up to the break. */
  readonly events: number
  readonly streams: number
  readonly seals: number
  readonly position: Position
  /** Events after the newest seal: chained, but not sealed yet. Cut off or replaced with new hashes, they are not missed. */
  readonly unsealed: number
  /**
   * The newest seal, the position up to which it covers the log, and when it was made, unix milliseconds; null before
   * the first.
   */
  readonly newestSeal: {
    readonly number: number
    readonly upTo: Position
    readonly at: number
  } | null
  /** Whether the exported head is still part of the chain; null when none was given. */
  readonly isAnchored: boolean | null
  readonly firstBreak: LogBreak | null
  /** Facts that stand twice in an account for one cause: nothing was changed, and quota was moved twice. */
  readonly bookedTwice: {
    readonly count: number
    /** The first of them, at most a hundred. */
    readonly first: readonly RepeatedFact[]
  }
  /** Events of other clients that an operator has set aside: they count for nothing, and break nothing. */
  readonly setAside: {
    readonly count: number
    /** The first of them, at most a hundred. */
    readonly first: readonly SetAsideEvent[]
  }
  /** Seals of earlier versions that cover some of these: as they were made, and no break. */
  readonly explainedSeals: readonly ExplainedSeal[]
  /** Streams that another client has limited or deleted: a scavenge of the event store takes their events for good. */
  readonly cutStreams: readonly CutStream[]
  /** Streams of other clients of the event store, at most a hundred: passed over, as no version of Tollgate reads them. */
  readonly foreignStreams: readonly string[]
}

/** An event of another client, and why it counts for nothing. */
export interface SetAsideEvent {
  readonly stream: string
  readonly revision: number
  readonly position: Position
  readonly reason: string
}

export interface VerifyOptions {
  /** A head exported earlier that must be part of the chain. */
  readonly anchor?: LedgerHead
  /** Seals noted outside of the log, which must be part of the chain as well. Default none. */
  readonly noted?: readonly LedgerHead[]
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: WalkProgress) => void
  /** Events read at once, during which a process does nothing else. Default 2,000: about 15 ms. */
  readonly pageEvents?: number
}

export interface WalkProgress {
  readonly events: number
  readonly position: Position
  /** Where the log ended when the walk began. */
  readonly head: Position
}

const PAGE_EVENTS = 2_000
const REPEATED_MAX = 100
const FOREIGN_MAX = 100
const SET_ASIDE_MAX = 100

/**
 * Walks the whole log as stored, up to where it ends now, and stops at the first break: hash chain and revisions of
 * every stream, positions, and each seal against what it covers. Keeps in memory the end of every stream (about 250
 * bytes each), the streams of the present seal, and one small record for each seal and for each credit; events pass by in
 * pages.
 * Fails with StoreUnavailable, and with the signal's reason when it aborts.
 */
export async function verifyLog(
  store: AuditableEventStore,
  { anchor, noted = [], signal, onProgress, pageEvents = PAGE_EVENTS }: VerifyOptions = {},
): Promise<VerifyReport> {
  const head = await store.headPosition()
  const exported = anchor === undefined ? [] : [anchor]
  const seals = openSealCheck(await readSealOutline(store), [...exported, ...noted])
  const cutStreams = (await store.readCutStreams?.()) ?? []
  const walk = openWalk(store, seals)
  const report = (firstBreak: LogBreak | null): VerifyReport => ({
    ...walk.figures(),
    seals: seals.sealsChecked,
    unsealed: seals.unsealed,
    newestSeal: seals.newest,
    isAnchored: anchor === undefined ? null : seals.hasMet(anchor),
    firstBreak,
    bookedTwice: walk.bookedTwice(),
    setAside: walk.setAside(),
    explainedSeals: seals.explained,
    cutStreams,
    foreignStreams: walk.foreignStreams(),
  })
  let position = LOG_START
  let next = store.readStoredLog(position, pageEvents)
  for (;;) {
    const page = await next
    signal?.throwIfAborted()
    const last = page.at(-1)
    const isEnd = last === undefined || page.length < pageEvents || last.position >= head
    if (!isEnd) next = readAhead(store, last.position, pageEvents)
    for (const event of page) {
      if (event.position > head) break
      const broken = walk.take(event)
      if (broken !== null && !(await walk.passOver(event))) return report(broken)
      position = event.position
    }
    onProgress?.({ events: walk.figures().events, position, head })
    if (isEnd) break
  }
  const broken = await endBreak(store, position, head)
  return report(
    broken ??
      walk.columnsBreak() ??
      beyondBreak(exported, 'exported', seals) ??
      beyondBreak(noted, 'noted outside of the log', seals),
  )
}

/** The first seal of those kept outside that the log does not reach. */
function beyondBreak(
  kept: readonly LedgerHead[],
  how: string,
  { sealsChecked }: SealCheck,
): LogBreak | null {
  const missing = kept.find(({ seal }) => seal > sealsChecked)
  if (missing === undefined) return null
  return {
    ...NO_EVENT,
    position: missing.position,
    expected: `seal ${missing.seal} over everything up to position ${missing.position}, as ${how}`,
    found: `${sealsChecked} seals`,
  }
}

const NO_EVENT = { stream: null, revision: null, eventId: null, type: null } as const

/** The next page, asked for before the present one is checked; its failure waits until it is wanted. */
function readAhead(
  store: AuditableEventStore,
  after: Position,
  pageEvents: number,
): Promise<readonly StoredEvent[]> {
  const page = store.readStoredLog(after, pageEvents)
  page.catch(() => undefined)
  return page
}

interface Walk {
  /** The break at this event; null when it is as it should be. */
  take(event: StoredEvent): LogBreak | null
  /** Whether an event that breaks its stream was set aside further on in it; the walk then goes on. */
  passOver(event: StoredEvent): Promise<boolean>
  figures(): Pick<VerifyReport, 'events' | 'streams' | 'position'>
  bookedTwice(): VerifyReport['bookedTwice']
  setAside(): VerifyReport['setAside']
  foreignStreams(): readonly string[]
  /** The first stream whose last event stands without its columns, with which the next append is compared. */
  columnsBreak(): LogBreak | null
}

function openWalk(store: AuditableEventStore, seals: SealCheck): Walk {
  const { hasGaplessPositions } = store
  const heads = new Map<string, StreamHead>()
  const foreign = new Set<string>()
  /** The last event of a stream while it stands without its columns; null once one has them, as every later one has. */
  const bare = new Map<string, LogBreak | null>()
  const facts = new RepeatedFacts()
  const repeated: RepeatedFact[] = []
  /** Streams in which something broke. */
  const examined = new Map<string, ExaminedStream>()
  const setAside: SetAsideEvent[] = []
  let setAsideCount = 0
  let repetitions = 0
  let position = LOG_START
  let events = 0

  function take(event: StoredEvent): LogBreak | null {
    const { stream } = event
    if (hasGaplessPositions && event.position !== position + 1) {
      const found = `the next is at ${event.position}`
      return breakAt(event, `an event at position ${position + 1}`, found)
    }
    if (!heads.has(stream) && !isStreamOfTollgate(stream)) {
      // A server may have other clients; a database of Tollgate's has not.
      if (!hasGaplessPositions) {
        if (foreign.size < FOREIGN_MAX) foreign.add(stream)
        return null
      }
      return breakAt(event, 'a stream of Tollgate, whose alone the log is', `stream ${stream}`)
    }
    if (noteSetAside(event)) return null
    if (examined.get(stream)?.foreign.has(event.revision) === true) {
      return breakAt(event, 'that it is set aside as the one before it', 'no event that does so')
    }
    const verified = verifyEvent(event, heads.get(stream) ?? EMPTY_STREAM)
    if ('reason' in verified) return breakAt(event, verified.expected, verified.found)
    const wrongColumns = columnsProblem(event, verified.columns)
    if (wrongColumns !== null) return wrongColumns
    const end = verified.head
    const read = decodedOr(event, UPCASTERS)
    if (read instanceof ForeignEvent) return breakAt(event, 'an event of its type', read.message)
    if (stream === SEALS_STREAM) {
      const wrong = event.type === SET_ASIDE ? null : seals.check(event, end.hash)
      if (wrong !== null) return breakAt(event, wrong.expected, wrong.found)
    } else {
      seals.cover(event.position, { stream, ...end })
    }
    noteRepetition(event, read)
    heads.set(stream, end)
    position = event.position
    events += 1
    return null
  }

  /** Events from before the columns have none, but for the last of each stream. */
  function columnsProblem(event: StoredEvent, wanted: ChainColumns): LogBreak | null {
    const { stream, columns } = event
    if (columns === undefined) return null
    const { hash, chainVersion } = columns
    const isRight = hash === wanted.hash && chainVersion === wanted.chainVersion
    const problem = isRight ? null : breakAt(event, inWords(wanted), inWords(columns))
    const isBefore = hash === null && bare.get(stream) !== null
    if (problem !== null && !isBefore) return problem
    bare.set(stream, problem)
    return null
  }

  /** Whether the event was set aside: its stream goes on behind it as if it were not there. */
  function noteSetAside({ stream, revision, position: at, metadataText }: StoredEvent): boolean {
    const found = examined.get(stream)?.setAside.get(revision)
    if (found === undefined) return false
    setAsideCount += 1
    if (setAside.length < SET_ASIDE_MAX) {
      setAside.push({ stream, revision, position: at, reason: found.reason })
    }
    heads.set(stream, { revision, hash: heads.get(stream)?.hash ?? EMPTY_STREAM.hash })
    const hash = hashesIn(metadataText)?.hash
    if (hash !== undefined && stream !== SEALS_STREAM) {
      seals.coverSetAside(at, { stream, revision, hash })
    }
    position = at
    return true
  }

  async function passOver(event: StoredEvent): Promise<boolean> {
    const { stream } = event
    if (!isStreamOfTollgate(stream) || examined.has(stream)) return false
    examined.set(stream, await examineStream(store, stream))
    return noteSetAside(event)
  }

  function noteRepetition(event: StoredEvent, { metadata }: RecordedEvent): void {
    if (!isOncePerCause(event.type)) return
    const found = facts.see(event, metadata.causationId)
    if (found === null) return
    repetitions += 1
    if (repeated.length < REPEATED_MAX) repeated.push(found)
  }

  return {
    take,
    passOver,
    setAside: () => ({ count: setAsideCount, first: setAside }),
    figures: () => ({ events, streams: heads.size, position }),
    bookedTwice: () => ({ count: repetitions, first: repeated }),
    foreignStreams: () => [...foreign],
    columnsBreak: () => [...bare.values()].find((problem) => problem !== null) ?? null,
  }
}

/** Events that were cut off at the end, or that stand behind it. */
async function endBreak(
  store: AuditableEventStore,
  position: Position,
  head: Position,
): Promise<LogBreak | null> {
  if (!store.hasGaplessPositions) return null
  if (position < head) {
    const expected = `an event at position ${position + 1}, as the log goes on to ${head}`
    return { position: position + 1, ...NO_EVENT, expected, found: 'none' }
  }
  const [behind] = await store.readStoredLog(head, 1)
  if (behind === undefined || behind.position <= (await store.headPosition())) return null
  return breakAt(behind, `the end of the log at ${head}`, 'an event behind it')
}

const inWords = ({ hash, chainVersion }: ChainColumns): string =>
  `hash ${hash} and chain_version ${chainVersion} in its columns`

const breakAt = (
  { position, stream, revision, id, type }: StoredEvent,
  expected: string,
  found: string,
): LogBreak => ({ position, stream, revision, eventId: id, type, expected, found })
