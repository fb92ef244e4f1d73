import type { StreamReader, UpstreamStream } from './call.ts'

/** Bytes that are read at once: as many as a socket gives. */
const SLICE_BYTES = 32 * 1024

/** Bytes in hand as a stream, a slice in each turn of the event loop, so that no long answer holds the serving thread. */
export class BufferedStream implements UpstreamStream {
  readonly #bytes: Buffer
  #at = 0
  #reader: StreamReader | null = null
  #isPaused = false
  #isOver = false
  #turn: NodeJS.Immediate | null = null

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  attach(reader: StreamReader): void {
    this.#reader = reader
    this.#schedule()
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#schedule()
  }

  /** Nothing more is given. */
  abort(): void {
    this.#isOver = true
  }

  #schedule(): void {
    if (this.#reader === null || this.#isOver || this.#turn !== null) return
    this.#turn = setImmediate(() => {
      this.#turn = null
      this.#give()
    })
  }

  #give(): void {
    if (this.#isPaused || this.#isOver) return
    const slice = this.#bytes.subarray(this.#at, this.#at + SLICE_BYTES)
    this.#at += slice.length
    if (slice.length > 0) {
      this.#reader?.onBytes(slice)
      this.#schedule()
      return
    }
    this.#isOver = true
    this.#reader?.onEnd(null)
  }
}
