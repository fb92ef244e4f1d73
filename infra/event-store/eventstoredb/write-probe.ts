import { randomUUID } from 'node:crypto'
import { StoreUnavailable, WriteDenied } from '@tollgate/domain/ports/event-store.ts'
import { type ChainedAppend, NO_COLUMNS } from '../chain.ts'
import { ANY_REVISION } from './append-request.ts'
import type { SendAppend } from './append-stream.ts'

/**
 * A stream of which the server keeps one event and drops the others when it scavenges, as with its own statistics. Its
 * events are of a type that begins with `$`: nobody who reads the log takes them for Tollgate's.
 */
const STREAM = 'tollgate-probe'
const EVENT_TYPE = '$tollgate-probe'

/** No stream ends there: an append behind it is looked at by the leader, rights included, and stored never. */
const NO_REVISION = Number.MAX_SAFE_INTEGER

/**
 * Writes one event, once the stream is limited to one. Where the user may not limit streams (its rights may be
 * bounded to events), it asks for an append that cannot be stored: an event every few seconds would stay for ever. Fails with
 * StoreUnavailable.
 */
export function writeProbe(send: SendAppend): () => Promise<void> {
  let isLimited = false

  async function ask(append: ChainedAppend): Promise<'stored' | 'not stored' | 'denied'> {
    const answer = await send(append)
    if (answer.type === 'success') return 'stored'
    if (answer.type === 'wrong-expected-version') return 'not stored'
    if (answer.isDenied) return 'denied'
    throw new StoreUnavailable(
      `EventStoreDB refused a probe of ${append.stream}: ${answer.reason}`,
      'none',
    )
  }

  return async () => {
    isLimited ||= (await ask(probeAppend(`$$${STREAM}`, '$metadata', LIMIT))) === 'stored'
    const expected = isLimited ? ANY_REVISION : NO_REVISION
    if ((await ask(probeAppend(STREAM, EVENT_TYPE, '{}', expected))) === 'denied') {
      throw new WriteDenied('EventStoreDB does not let Tollgate write: AccessDenied to a probe')
    }
  }
}

const LIMIT = JSON.stringify({ $maxCount: 1 })

const probeAppend = (
  stream: string,
  type: string,
  dataText: string,
  revision: number = ANY_REVISION,
): ChainedAppend => ({
  stream,
  expected: { revision, hash: '' },
  head: { revision, hash: '' },
  events: [
    {
      id: randomUUID(),
      type,
      revision: 0,
      dataText,
      metadataText: '{}',
      hash: '',
      columns: NO_COLUMNS,
    },
  ],
  bytes: 100,
})
