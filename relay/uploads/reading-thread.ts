// oxlint-disable unicorn/require-post-message-target-origin -- a worker's port has no origin; the rule means windows
import { parentPort } from 'node:worker_threads'
import type { Endpoint, ModelRequest } from '../protocols/model-request.ts'
import { isRefusal, type Refusal } from '../refusal.ts'
import { type BodyBytes, parseScanned, scanBytes } from './read-body.ts'

/** A body to be read. */
export interface ReadingQuestion extends BodyBytes {
  readonly endpoint: Endpoint
}

/** The request without its bytes and its parsed body, which stays in the thread; its bytes beside it, handed over. */
export type ReadingAnswer =
  | { readonly raw: Uint8Array<ArrayBuffer>; readonly request: Omit<ModelRequest, 'raw' | 'body'> }
  | Refusal

function read({ endpoint, ...bytes }: ReadingQuestion): ReadingAnswer {
  const scanned = scanBytes(bytes)
  if (isRefusal(scanned)) return scanned
  const parsed = parseScanned(endpoint, scanned)
  if (isRefusal(parsed)) return parsed
  const { raw, body: _, ...request } = parsed
  return { raw: ownBytes(raw), request }
}

/** A buffer that nothing else is part of: only such can be handed over. */
const ownBytes = ({ buffer, byteOffset, byteLength }: Buffer): Uint8Array<ArrayBuffer> =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : Uint8Array.from(new Uint8Array(buffer, byteOffset, byteLength))

parentPort?.on('message', (question: ReadingQuestion) => {
  const answer = read(question)
  parentPort?.postMessage(answer, 'raw' in answer ? [answer.raw.buffer] : [])
})
