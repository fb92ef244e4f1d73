import { randomUUID } from 'node:crypto'
import { StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import type { ChainedAppend } from '../chain.ts'
import type { SendAppend } from './append-stream.ts'
import { ANY_REVISION } from './protocol.ts'

/**
 * A stream of which the server keeps one event and drops the others when it scavenges, as with its own statistics. Its
 * events are of a type that begins with `$`: nobody who reads the log takes them for Tollgate's.
 */
const STREAM = 'tollgate-probe'
const EVENT_TYPE = '$tollgate-probe'

/** Writes one event, once the stream is limited to one. Fails with StoreUnavailable. */
export function writeProbe(send: SendAppend): () => Promise<void> {
  let isLimited = false

  async function write(stream: string, type: string, data: object): Promise<void> {
    const answer = await send(probeAppend(stream, type, JSON.stringify(data)))
    if (answer.type === 'success') return
    const reason = answer.type === 'refused' ? answer.reason : 'another expected version'
    throw new StoreUnavailable(`EventStoreDB refused a probe of ${stream}: ${reason}`, 'none')
  }

  return async () => {
    // Without the limit nothing is written: it would stay for ever.
    if (!isLimited) await write(`$$${STREAM}`, '$metadata', { $maxCount: 1 })
    isLimited = true
    await write(STREAM, EVENT_TYPE, {})
  }
}

const probeAppend = (stream: string, type: string, dataText: string): ChainedAppend => ({
  stream,
  expected: { revision: ANY_REVISION, hash: '' },
  head: { revision: ANY_REVISION, hash: '' },
  events: [{ id: randomUUID(), type, revision: 0, dataText, metadataText: '{}', hash: '' }],
  bytes: 100,
})
