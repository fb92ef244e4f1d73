import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { type LedgerSealed, SEALS_STREAM } from '@tollgate/domain/seal/events.ts'
import { isSetAside } from '@tollgate/domain/set-aside/events.ts'
import { isStreamOfTollgate } from '@tollgate/domain/stream-names.ts'
import type { AggregateWriter } from '../aggregates/aggregate.ts'
import { type CommandCause, newEvents } from '../aggregates/cause.ts'
import { openSealedRange, type RangeFigures } from './sealed-range.ts'
import { readTimelines } from '../timelines/timelines.ts'
import { writeDecided } from '../aggregates/write-decided.ts'
import { lastSeal, type Seal } from './seals.ts'

/** The result of sealing: the newest seal, made now or before; null while the log is empty. */
export interface SealOutcome {
  /** How many seals were made just now; 0 when nothing had changed. */
  readonly made: number
  readonly seal: Seal | null
}

export interface SealOptions {
  readonly signal?: AbortSignal
  /** Default STREAMS_MAX. */
  readonly streamsMax?: number
  /** Rests as long as it works, so that requests served beside it do not wait. Default false. */
  readonly isInBackground?: boolean
}

/** A seal covers at most this many streams, so that making and checking one takes tens of MiB; then another follows. */
const STREAMS_MAX = 200_000
/** Events read at once; in the background few, as a process does nothing else meanwhile: 2 ms instead of 8. */
const PAGE_EVENTS = { foreground: 1_000, background: 250 } as const

/**
 * Seals everything written since the last seal, up to the present end of the log, page by page. Two processes that seal
 * at once do no harm: the expected revision lets one in, and the other continues behind it. Fails with
 * StoreUnavailable; parts that were sealed by then stay sealed.
 */
export async function sealLedger(
  writer: AggregateWriter,
  cause: CommandCause,
  { signal, streamsMax = STREAMS_MAX, isInBackground = false }: SealOptions = {},
): Promise<SealOutcome> {
  const { store, randomness } = writer
  const end = await store.headPosition()
  for (let made = 0; ; made += 1) {
    const { loaded, events } = await writeDecided(writer, {
      stream: SEALS_STREAM,
      load: () => lastSeal(store),
      async decide({ seal }, { at }) {
        const from = seal === null ? LOG_START : await endOfSealed(store, seal)
        const covered = await coverRange(writer, { from, end, streamsMax, isInBackground, signal })
        if (covered === null) return { events: [] }
        const sealed: LedgerSealed = {
          type: 'LedgerSealed',
          data: {
            at,
            number: (seal?.data.number ?? 0) + 1,
            after: seal?.data.upTo ?? LOG_START,
            upTo: covered.upTo,
            ...covered.figures,
            previous: seal === null ? null : { root: seal.data.root, hash: seal.head.hash },
          },
        }
        return { events: newEvents([sealed], cause, randomness) }
      },
      isStopping: () => signal?.aborted === true,
    })
    if (events.length === 0) return { made, seal: loaded.seal }
  }
}

/**
 * Where the events end that seals cover. The newest seal says so, unless it was made before the log was copied into
 * another engine, which has positions of its own: then as many events as all seals cover are counted off.
 */
async function endOfSealed(store: EventStore, { data, position }: Seal): Promise<Position> {
  const copiedAt = (await readTimelines(store)).findLast(({ cause }) => cause === 'restore')
  if (copiedAt === undefined || copiedAt.position < position) return data.upTo
  let left = await countSealed(store)
  for (let from = LOG_START; ;) {
    const page = await store.readAll(from, 'all', PAGE_EVENTS.foreground)
    for (const event of page) {
      if (isSealed(event.stream)) left -= 1
      if (left === 0) return event.position
      from = event.position
    }
    if (page.length < PAGE_EVENTS.foreground) return from
  }
}

/** Other clients of an event store may have streams there; seals themselves are linked to each other. */
const isSealed = (stream: string): boolean => stream !== SEALS_STREAM && isStreamOfTollgate(stream)

async function countSealed(store: EventStore): Promise<number> {
  let events = 0
  for await (const event of store.readStream(SEALS_STREAM)) {
    if (!isSetAside(event)) events += (event.data as LedgerSealed['data']).events
  }
  return events
}

interface Range {
  /** The end of the sealed part. */
  readonly from: Position
  readonly end: Position
  readonly streamsMax: number
  readonly isInBackground: boolean
  readonly signal: AbortSignal | undefined
}

/** The figures of the next seal and where it ends; null when no event came but seals, or the signal aborted. */
async function coverRange(
  { store, clock }: Pick<AggregateWriter, 'store' | 'clock'>,
  { from: start, end, streamsMax, isInBackground, signal }: Range,
): Promise<{ readonly upTo: Position; readonly figures: RangeFigures } | null> {
  const range = openSealedRange()
  const pageEvents = isInBackground ? PAGE_EVENTS.background : PAGE_EVENTS.foreground
  let upTo = start
  let from = start
  while (from < end && range.streams < streamsMax) {
    if (signal?.aborted === true) return null
    const startedMs = clock.monotonicMs()
    const page = await store.readAll(from, 'all', pageEvents)
    for (const { stream, revision, position, metadata } of page) {
      if (position > end || range.streams >= streamsMax) break
      from = position
      if (!isSealed(stream)) continue
      range.add({ stream, revision, hash: metadata.hash })
      upTo = position
    }
    if (page.length < pageEvents || (page.at(-1)?.position ?? end) >= end) break
    if (isInBackground) await clock.sleep(clock.monotonicMs() - startedMs, signal)
  }
  return range.events === 0 ? null : { upTo, figures: range.figures() }
}
