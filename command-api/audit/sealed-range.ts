import { createHash, type Hash } from 'node:crypto'
import type { LedgerSealed } from '@tollgate/domain/seal/events.ts'
import { merkleRoot, type Sha256, type StreamEnd } from '@tollgate/domain/seal/merkle.ts'

/** The figures of a seal about the events that it covers. */
export type RangeFigures = Pick<LedgerSealed['data'], 'events' | 'streams' | 'root' | 'order'>

/** Gathers the events that one seal covers, in log order. Its memory grows with their streams, not with the events. */
export interface SealedRange {
  add(end: StreamEnd): void
  readonly streams: number
  readonly events: number
  /** To be asked once, at the end. */
  figures(): RangeFigures
  /** The same so far, to be gone on with apart. */
  copy(): SealedRange
}

export const openSealedRange = (): SealedRange => rangeOf(new Map(), createHash('sha256'), 0)

function rangeOf(ends: Map<string, StreamEnd>, order: Hash, covered: number): SealedRange {
  let events = covered
  return {
    add(end) {
      ends.set(end.stream, end)
      order.update(end.hash)
      events += 1
    },
    get streams() {
      return ends.size
    },
    get events() {
      return events
    },
    figures: () => ({
      events,
      streams: ends.size,
      root: merkleRoot(ends.values(), sha256),
      order: order.digest('hex'),
    }),
    copy: () => rangeOf(new Map(ends), order.copy(), events),
  }
}

const sha256: Sha256 = (bytes) => createHash('sha256').update(bytes).digest()
