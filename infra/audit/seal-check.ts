import type { LedgerHead } from '@tollgate/command-api/audit/seals.ts'
import { openSealedRange, type RangeFigures } from '@tollgate/command-api/audit/sealed-range.ts'
import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import { SEALS_STREAM } from '@tollgate/domain/seal/events.ts'
import { SET_ASIDE } from '@tollgate/domain/set-aside/events.ts'
import { TIMELINE_STREAM, type TimelineCause } from '@tollgate/domain/timeline/events.ts'
import type { StreamEnd } from '@tollgate/domain/seal/merkle.ts'
import { z } from 'zod'
import type { AuditableEventStore } from '../event-store/auditable-store.ts'
import { examineStream } from '../event-store/examine-stream.ts'
import type { StoredEvent } from '../event-store/stored-event.ts'

/** What should stand there and what does, in words. */
export interface Mismatch {
  readonly expected: string
  readonly found: string
}

/** Works out while the log passes by what each seal must say, and holds the seals against it when they come. */
export interface SealCheck {
  /** An event that seals cover. */
  cover(position: Position, end: StreamEnd): void
  /** A seal, its own chain proven. Null when it says what it must. */
  check(event: StoredEvent, hash: string): Mismatch | null
  readonly sealsChecked: number
  /** Events covered since the end of the newest seal. */
  readonly unsealed: number
  /** Whether a head kept outside was met, as it was then. */
  hasMet(head: LedgerHead): boolean
  /** The newest seal checked; `at` in unix milliseconds, as it says itself. */
  readonly newest: { readonly number: number; readonly upTo: Position; readonly at: number } | null
}

/** What the walk needs to know before it meets the seals themselves; nothing of it is proven yet. */
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
  const computed: { readonly figures: RangeFigures; readonly end: Position }[] = []
  let range = openSealedRange()
  let previous: ProvenSeal | null = null

  function check(event: StoredEvent, hash: string): Mismatch | null {
    const seal = parseSeal(event)
    if (seal === null) return { expected: 'the data of a seal', found: event.dataText.slice(0, 80) }
    const number: number = (previous?.number ?? 0) + 1
    const covered = computed[number - 1]
    if (covered === undefined) {
      return {
        expected: `seal ${number}: ${range.events} events at most, as no more stand between the one before it and itself`,
        found: `events ${seal.events}`,
      }
    }
    const isOfThisEngine = event.position > copiedAt
    const expected = {
      number,
      after: previous?.upTo ?? LOG_START,
      ...covered.figures,
      ...(isOfThisEngine ? { upTo: covered.end } : {}),
      'previous.root': previous?.root ?? null,
      'previous.hash': previous?.hash ?? null,
    }
    const { at, upTo, previous: named, ...said } = seal
    const found = {
      ...said,
      upTo,
      'previous.root': named?.root ?? null,
      'previous.hash': named?.hash ?? null,
    }
    const wrong = firstDifference(`seal ${number}`, expected, found)
    if (wrong !== null) return wrong
    const proven = { number, upTo, root: seal.root, hash, at }
    previous = proven
    for (const anchor of anchored.get(number) ?? []) {
      const other = checkAnchor(anchor, proven)
      if (other !== null) return other
      met.add(anchor)
    }
    return null
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
      range.add(end)
      if (range.events !== sizes[computed.length]) return
      computed.push({ figures: range.figures(), end: position })
      range = openSealedRange()
    },
    check,
    get sealsChecked() {
      return previous?.number ?? 0
    },
    get unsealed() {
      return range.events
    },
    hasMet: (head) => met.has(head),
    get newest() {
      return previous === null
        ? null
        : { number: previous.number, upTo: previous.upTo, at: previous.at }
    },
  }
}

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
    sizes.push(parseSeal(event)?.events ?? 0)
  }
  let copiedAt = LOG_START
  for await (const { dataText, position } of store.readStoredStream(TIMELINE_STREAM)) {
    if (causeOf(dataText) === 'restore') copiedAt = position
  }
  return { sizes, copiedAt }
}

const sealData = z.object({
  at: z.number(),
  number: z.number(),
  after: z.number(),
  upTo: z.number(),
  events: z.number(),
  streams: z.number(),
  root: z.string(),
  order: z.string(),
  previous: z.object({ root: z.string(), hash: z.string() }).nullable(),
})

/** Null when the text is no seal's. */
function parseSeal(event: StoredEvent): z.infer<typeof sealData> | null {
  try {
    return sealData.safeParse(JSON.parse(event.dataText)).data ?? null
  } catch {
    // Text that is no JSON is a break to report, not a failure of the walk.
    return null
  }
}

/** Null when the text is no opened timeline's. */
function causeOf(dataText: string): TimelineCause | null {
  try {
    return (JSON.parse(dataText) as { cause?: TimelineCause }).cause ?? null
  } catch {
    return null
  }
}
