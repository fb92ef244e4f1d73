import type { LedgerHead } from '@tollgate/command-api/audit/seals.ts'
import { openSealedRange, type RangeFigures } from '@tollgate/command-api/audit/sealed-range.ts'
import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import { SEALS_STREAM } from '@tollgate/domain/seal/events.ts'
import type { StreamEnd } from '@tollgate/domain/seal/merkle.ts'
import { z } from 'zod'
import type { AuditableEventStore } from '../event-store/auditable-store.ts'
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

/**
 * `ends` are the positions where the seals say that they end (`readSealEnds`): the walk needs to know them before it
 * meets the seals themselves. `anchors` are heads kept outside of the log: a seal of theirs must be as it was then.
 */
export function openSealCheck(
  ends: readonly Position[],
  anchors: readonly LedgerHead[],
): SealCheck {
  const met = new Set<LedgerHead>()
  const anchored = Map.groupBy(anchors, ({ seal }) => seal)
  const computed: RangeFigures[] = []
  let range = openSealedRange()
  let previous: ProvenSeal | null = null

  /** Closes every range that ends before this position. */
  function closeBefore(position: Position): void {
    for (;;) {
      const end = ends[computed.length]
      if (end === undefined || end >= position) return
      computed.push(range.figures())
      range = openSealedRange()
    }
  }

  function check(event: StoredEvent, hash: string): Mismatch | null {
    closeBefore(event.position)
    const seal = parseSeal(event)
    if (seal === null) return { expected: 'the data of a seal', found: event.dataText.slice(0, 80) }
    const number: number = (previous?.number ?? 0) + 1
    const figures = computed[number - 1]
    if (figures === undefined || seal.upTo !== ends[number - 1] || seal.upTo < seal.after) {
      return {
        expected: `seal ${number} ends after the one before it and before itself`,
        found: `upTo ${seal.upTo}`,
      }
    }
    const expected = {
      number,
      after: previous?.upTo ?? LOG_START,
      ...figures,
      'previous.root': previous?.root ?? null,
      'previous.hash': previous?.hash ?? null,
    }
    const { at, upTo, previous: named, ...said } = seal
    const found = {
      ...said,
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
      closeBefore(position)
      range.add(end)
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

/** Where each seal says that it ends, in order; nothing of it is proven yet. Fails with StoreUnavailable. */
export async function readSealEnds(store: AuditableEventStore): Promise<readonly Position[]> {
  const ends: Position[] = []
  for await (const event of store.readStoredStream(SEALS_STREAM)) {
    // One that cannot be read, or that ends before the one before it, is told apart when the walk comes to it.
    const least = ends.at(-1) ?? LOG_START
    ends.push(Math.max(least, parseSeal(event)?.upTo ?? least))
  }
  return ends
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
