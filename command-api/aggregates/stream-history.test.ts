import type { RecordedEvent } from '@tollgate/domain/event.ts'
import { expect, test } from 'vitest'
import { wholeHistory } from './stream-history.ts'

const EVENTS = 4_500
const STREAM = 'settings'

/** A stream of so many events that no single call looks through it. */
const store = {
  async *readStream(
    _stream: string,
    { from = EVENTS - 1, limit = EVENTS }: { readonly from?: number; readonly limit?: number } = {},
  ) {
    for (let revision = from; revision >= 0 && revision > from - limit; revision -= 1)
      yield eventAt(revision)
  },
}

const eventAt = (revision: number): RecordedEvent => ({
  id: `event-${revision}`,
  stream: STREAM,
  revision,
  position: revision,
  type: 'OptionChanged',
  data: { at: 1_770_120_000_000 + revision },
  recordedAt: 0,
  metadata: {
    schemaVersion: 1,
    actor: 'user:1',
    correlationId: 'test',
    causationId: null,
    prevHash: '',
    hash: '',
  },
})

test.each([1, 3, 4_000])(
  'given a long stream, when every %dth event is sought in batches, then all come once, newest first',
  async (every) => {
    const isWanted = ({ revision }: RecordedEvent) => revision % every === 0
    const batches = await Array.fromAsync(wholeHistory({ store }, STREAM, isWanted))
    const wanted = Array.from({ length: EVENTS }, (_, at) => EVENTS - 1 - at).filter(
      (revision) => revision % every === 0,
    )
    expect(batches.flat().map(({ revision }) => revision)).toEqual(wanted)
    expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(1_000)
  },
)
