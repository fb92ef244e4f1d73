import type { Endpoint, ModelRequest } from '../protocols/model-request.ts'
import { isRefusal, type Refusal, refusal } from '../refusal.ts'
import { ThreadQueue, ThreadUnanswered } from '../thread-queue.ts'
import { decompressedBytesMax } from './decompress.ts'
import { type BodyBytes, parseScanned, type ScannedBody, scanBytes } from './read-body.ts'
import type { ReadingAnswer, ReadingQuestion } from './reading-thread.ts'
import { RETRY_AFTER_SECONDS, type Upload } from './uploads.ts'

/** Longer bodies are read in a thread, and so are shorter ones of more places and items: in 20 ms at most is served. */
const INLINE_BYTES_MAX = 1024 * 1024
const INLINE_PLACES_MAX = 5_000
const INLINE_ITEMS_MAX = 20_000

/** The largest and worst body takes about a second of the thread; ten times that means that it hangs. */
const OVERRUN_MS = 10_000
const PATIENCE_MS = 20_000
/** Waiting bodies have their place in the budget of bytes; this bounds the short ones. */
const WAITING_MAX = 1_000

const BUSY = refusal(503, 'temporarily_unavailable', 'too many large requests at once; try again', {
  retryAfterSeconds: RETRY_AFTER_SECONDS,
})

/** Reads bodies: short ones at once, long ones in a thread, so that none holds the serving thread for long. */
export class BodyReader {
  readonly #thread = new ThreadQueue<ReadingQuestion, ReadingAnswer>({
    script: new URL('./reading-thread.ts', import.meta.url),
    overrunMs: OVERRUN_MS,
    patienceMs: PATIENCE_MS,
    waitingMax: WAITING_MAX,
  })

  /** The request that a body is, or a Refusal. The memory that decompression needs is counted with the upload. */
  async read(
    endpoint: Endpoint,
    bytes: BodyBytes,
    upload: Upload,
  ): Promise<ModelRequest | Refusal> {
    const came = bytes.parts.reduce((sum, { length }) => sum + length, 0)
    const rawMax = bytes.encoding === null ? 0 : decompressedBytesMax(came, bytes.bytesMax)
    if (!upload.take(rawMax)) return BUSY
    if (Math.max(came, rawMax) > INLINE_BYTES_MAX) {
      return this.#inThread({ endpoint, ...bytes }, rawMax, upload)
    }
    const scanned = scanBytes(bytes)
    if (isRefusal(scanned)) return scanned
    upload.give(rawMax - (bytes.encoding === null ? 0 : scanned.raw.length))
    return isQuick(scanned)
      ? parseScanned(endpoint, scanned)
      : this.#inThread({ endpoint, ...plain(scanned, bytes.bytesMax) }, 0, upload)
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  async #inThread(
    question: ReadingQuestion,
    rawMax: number,
    upload: Upload,
  ): Promise<ModelRequest | Refusal> {
    try {
      const transfer = question.parts.map(({ buffer }) => buffer)
      const answer = await this.#thread.ask(() => ({ question, transfer }))
      if (isRefusal(answer)) return answer
      const { buffer, byteOffset, byteLength } = answer.raw
      if (question.encoding !== null) upload.give(rawMax - byteLength)
      return { ...answer.request, raw: Buffer.from(buffer, byteOffset, byteLength), body: null }
    } catch (error) {
      if (error instanceof ThreadUnanswered) return BUSY
      throw error
    }
  }
}

const isQuick = ({ scan: { places, items } }: ScannedBody): boolean =>
  places <= INLINE_PLACES_MAX && items <= INLINE_ITEMS_MAX

/** The same body without its encoding, in a buffer that can be handed over. */
const plain = ({ raw }: ScannedBody, bytesMax: number): BodyBytes => ({
  parts: [Uint8Array.from(raw)],
  encoding: null,
  bytesMax,
})
