import type { LedgerHead } from '@tollgate/command-api/audit/seals.ts'
import {
  openSealedRange,
  type RangeFigures,
  type SealedRange,
} from '@tollgate/command-api/audit/sealed-range.ts'
import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import { type EventPlace, ForeignEvent } from '@tollgate/domain/ports/event-store.ts'
import { type LedgerSealed, SEALS_STREAM } from '@tollgate/domain/seal/events.ts'
import { SET_ASIDE } from '@tollgate/domain/set-aside/events.ts'
import { TIMELINE_STREAM, type TimelineCause } from '@tollgate/domain/timeline/events.ts'
import type { StreamEnd } from '@tollgate/domain/seal/merkle.ts'
import type { AuditableEventStore } from '../event-store/auditable-store.ts'
import { examineStream } from '../event-store/examine-stream.ts'
import { decodedOr, type StoredEvent } from '../event-store/stored-event.ts'
import { UPCASTERS } from '../event-store/upcasters.ts'

/** The expected and the found value at one place, in words. */
export interface Mismatch {
  readonly expected: string
  readonly found: string
}

/** Works out while the log passes by what each seal must say, and holds the seals against it when they come. */
export interface SealCheck {
  /** An event that seals cover. */
  cover(position: Position, end: StreamEnd): void
  /** An event that was set aside: a seal covers it when it was made by a version that took it for Tollgate's. */
  coverSetAside(position: Position, end: StreamEnd): void
  /** A seal, its own chain proven. Null when it says what it must. */
  check(event: StoredEvent, hash: string): Mismatch | null
  readonly sealsChecked: number
  /** Events covered since the end of the newest seal. */
  readonly unsealed: number
  /** Seals that are as they must be when they cover events that were set aside. */
  readonly explained: readonly ExplainedSeal[]
  /** Whether a head kept outside was met, as it was then. */
  hasMet(head: LedgerHead): boolean
  /** The newest seal checked; `at` in unix milliseconds, as it says itself. */
  readonly newest: { readonly number: number; readonly upTo: Position; readonly at: number } | null
}

/** A seal that covers events that were set aside later; it proves that they stood there when it was made. */
export interface ExplainedSeal {
  /** Its number. */
  readonly seal: number
  readonly covers: readonly EventPlace[]
}

/** The outline that the walk needs before it meets the seals themselves; nothing of it is proven yet. */
export interface SealOutline {
  /** How many events each seal says that it covers, in order. */
  readonly sizes: readonly number[]
  /**
   * Where the log came into this engine, by a restore or a copy: seals that stand before it say positions of the engine
   * that they were made in. LOG_START for a log that began here.
   */
  readonly copiedAt: Position
}

/** `anchors` are heads kept outside of the log: a seal of theirs must be as it was then. */
export function openSealCheck(
  { sizes, copiedAt }: SealOutline,
  anchors: readonly LedgerHead[],
): SealCheck {
  const met = new Set<LedgerHead>()
  const anchored = Map.groupBy(anchors, ({ seal }) => seal)
  const explained: ExplainedSeal[] = []
  let checked = 0
  let tracks: readonly Track[] = [newTrack()]
  let previous: ProvenSeal | null = null

  function check(event: StoredEvent, hash: string): Mismatch | null {
    const seal = sealIn(event)
    if (seal === null) return { expected: 'the data of a seal', found: event.dataText.slice(0, 80) }
    const isOfThisEngine = event.position > copiedAt
    const [own] = tracks
    const said = tracks
      .map(({ computed: [covered] }) => covered)
      .find((covered) => covered !== undefined && isAsSaid(covered, seal, isOfThisEngine) === null)
    if (said === undefined) return isAsSaid(own?.computed[0], seal, isOfThisEngine)
    if (said.setAside.length > 0) explained.push({ seal: seal.number, covers: said.setAside })
    tracks = tracks.filter(({ computed }) => computed[0] === said)
    for (const { computed } of tracks) computed.shift()
    checked += 1
    const proven = { number: seal.number, upTo: seal.upTo, root: seal.root, hash, at: seal.at }
    previous = proven
    for (const anchor of anchored.get(proven.number) ?? []) {
      const other = checkAnchor(anchor, proven)
      if (other !== null) return other
      met.add(anchor)
    }
    return null
  }

  /** Null when the seal says what it must of what it covers. */
  function isAsSaid(
    covered: CoveredRange | undefined,
    seal: LedgerSealed['data'],
    isOfThisEngine: boolean,
  ): Mismatch | null {
    const number: number = (previous?.number ?? 0) + 1
    if (covered === undefined) {
      return {
        expected: `seal ${number}: ${tracks[0]?.range.events} events at most, as no more stand between the one before it and itself`,
        found: `events ${seal.events}`,
      }
    }
    const expected = {
      number,
      after: previous?.upTo ?? LOG_START,
      ...covered.figures,
      ...(isOfThisEngine ? { upTo: covered.end } : {}),
      'previous.root': previous?.root ?? null,
      'previous.hash': previous?.hash ?? null,
    }
    const { previous: named, ...said } = seal
    const found = {
      ...said,
      'previous.root': named?.root ?? null,
      'previous.hash': named?.hash ?? null,
    }
    return firstDifference(`seal ${number}`, expected, found)
  }

  function add(track: Track, position: Position, end: StreamEnd): void {
    track.range.add(end)
    if (track.range.events !== sizes[checked + track.computed.length]) return
    track.computed.push({
      figures: track.range.figures(),
      end: position,
      setAside: track.setAside,
    })
    Object.assign(track, newRange())
  }

  function checkAnchor(exported: LedgerHead, { upTo, root, hash }: ProvenSeal): Mismatch | null {
    const { position, root: rootThen, hash: hashThen } = exported
    return firstDifference(
      `the exported head of seal ${exported.seal}`,
      { position, root: rootThen, hash: hashThen },
      { position: upTo, root, hash },
    )
  }

  return {
    cover(position, end) {
      for (const track of tracks) add(track, position, end)
    },
    coverSetAside(position, end) {
      const place = { stream: end.stream, revision: end.revision }
      tracks = tracks.flatMap((track) => {
        if (track.counts === null && tracks.length === TRACKS_MAX) track.counts = false
        if (track.counts === false) return [track]
        const counting = track.counts === true ? track : copyOf(track)
        track.counts ??= false
        counting.counts = true
        counting.setAside.push(place)
        add(counting, position, end)
        return counting === track ? [track] : [track, counting]
      })
    },
    check,
    get sealsChecked() {
      return previous?.number ?? 0
    },
    get unsealed() {
      return tracks[0]?.range.events ?? 0
    },
    explained,
    hasMet: (head) => met.has(head),
    get newest() {
      return previous === null
        ? null
        : { number: previous.number, upTo: previous.upTo, at: previous.at }
    },
  }
}

/** The figures that one seal must have. */
interface CoveredRange {
  readonly figures: RangeFigures
  readonly end: Position
  /** Those that count in it. */
  readonly setAside: readonly EventPlace[]
}

/** One way to count the events since the last seal that was met: with those that were set aside, or without them. */
interface Track extends OpenRange {
  /** Ranges of seals that were not met yet. */
  readonly computed: CoveredRange[]
}

/** The range that is being gathered. */
interface OpenRange {
  range: SealedRange
  /** Whether events that were set aside count in it; null until the first comes. */
  counts: boolean | null
  setAside: EventPlace[]
}

/** Seals that were not met yet and have such events in their ranges are few; each doubles the ways to count. */
const TRACKS_MAX = 64

const newRange = (): OpenRange => ({ range: openSealedRange(), counts: null, setAside: [] })
const newTrack = (): Track => ({ ...newRange(), computed: [] })
const copyOf = ({ range, computed }: Track): Track => ({
  range: range.copy(),
  counts: null,
  setAside: [],
  computed: [...computed],
})

interface ProvenSeal {
  readonly number: number
  readonly upTo: Position
  readonly root: string
  readonly hash: string
  readonly at: number
}

type Figures = Readonly<Record<string, number | string | null>>

function firstDifference(what: string, expected: Figures, found: Figures): Mismatch | null {
  for (const [name, value] of Object.entries(expected)) {
    const there = found[name]
    if (there === value) continue
    return { expected: `${what}: ${name} ${value ?? 'none'}`, found: `${name} ${there ?? 'none'}` }
  }
  return null
}

/** Fails with StoreUnavailable. */
export async function readSealOutline(store: AuditableEventStore): Promise<SealOutline> {
  const sizes: number[] = []
  const { setAside } = await examineStream(store, SEALS_STREAM)
  // One that cannot be read is told apart when the walk comes to it.
  for await (const event of store.readStoredStream(SEALS_STREAM)) {
    if (event.type === SET_ASIDE || setAside.has(event.revision)) continue
    sizes.push(sealIn(event)?.events ?? 0)
  }
  let copiedAt = LOG_START
  for await (const { dataText, position } of store.readStoredStream(TIMELINE_STREAM)) {
    if (causeOf(dataText) === 'restore') copiedAt = position
  }
  return { sizes, copiedAt }
}

/** Null for an event that is no seal. */
function sealIn(event: StoredEvent): LedgerSealed['data'] | null {
  const read = decodedOr(event, UPCASTERS)
  return read instanceof ForeignEvent || read.type !== 'LedgerSealed'
    ? null
    : (read.data as LedgerSealed['data'])
}

/** Null when the text is no opened timeline's. */
function causeOf(dataText: string): TimelineCause | null {
  try {
    return (JSON.parse(dataText) as { cause?: TimelineCause }).cause ?? null
  } catch {
    return null
  }
}
