import type { ServerResponse } from 'node:http'

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const

/** Why nothing more is to be delivered: the client left, or this process is being stopped. */
export type EndedBy = 'client' | 'stop'

/** Who waits for a slow client. */
interface Source {
  pause(): void
  resume(): void
}

/** The client's end of an exchange: written to directly, watched for a client that leaves or reads slowly. */
export class ClientAnswer {
  readonly #raw: ServerResponse
  readonly #headers: Readonly<Record<string, string>>
  #isGone = false
  #isStopped = false
  #onGone: ((by: EndedBy) => void) | null = null
  #undrained = 0
  #source: Source | null = null
  #queueChunks = 0

  /** `headers` go with every answer: request id and CORS. */
  constructor(raw: ServerResponse, headers: Readonly<Record<string, string>>) {
    this.#raw = raw
    this.#headers = headers
    raw.on('close', () => {
      if (!raw.writableEnded) this.#leave()
    })
    // A connection that breaks is a client that left; 'close' follows.
    raw.on('error', () => this.#leave())
  }

  /** The client closed the connection before the answer was complete. */
  get isGone(): boolean {
    return this.#isGone
  }

  /** Part of an answer has been sent: nothing else can be answered any more. */
  get hasBegun(): boolean {
    return this.#raw.headersSent
  }

  /** This process is being stopped: the client is still there and is to be told. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Calls back if the client leaves or the process is stopped; at once if that has happened. */
  whenGone(callback: ((by: EndedBy) => void) | null): void {
    this.#onGone = callback
    if (this.#isGone) callback?.('client')
    else if (this.#isStopped) callback?.('stop')
  }

  /** Ends the request for the sake of a process that stops: whoever delivers is told, and says so to the client. */
  stop(): void {
    if (this.#isGone || this.#isStopped) return
    this.#isStopped = true
    this.#onGone?.('stop')
  }

  /** A whole answer. */
  send(status: number, contentType: string, body: Buffer | string, more: Headers = {}): void {
    if (this.#isGone) return
    this.#raw.writeHead(status, {
      ...this.#headers,
      'content-type': contentType,
      'content-length': Buffer.byteLength(body),
      ...more,
    })
    this.#raw.end(body)
  }

  /** Begins an event stream; `source` is paused while more than `queueChunks` chunks wait for the client. */
  beginStream(source: Source, queueChunks: number): void {
    if (this.#isGone) return
    this.#source = source
    this.#queueChunks = queueChunks
    this.#raw.writeHead(200, { ...this.#headers, ...STREAM_HEADERS })
  }

  /** A piece of the stream. */
  write(bytes: Buffer | string): void {
    if (this.#isGone) return
    if (this.#raw.write(bytes)) return
    this.#undrained += 1
    if (this.#undrained === 1) this.#raw.once('drain', () => this.#drained())
    if (this.#undrained === this.#queueChunks) this.#source?.pause()
  }

  /** The last bytes of the stream. */
  end(bytes: Buffer | string): void {
    if (!this.#isGone) this.#raw.end(bytes)
  }

  #drained(): void {
    const wasPaused = this.#undrained >= this.#queueChunks
    this.#undrained = 0
    if (wasPaused) this.#source?.resume()
  }

  #leave(): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#onGone?.('client')
  }
}

type Headers = Readonly<Record<string, string | number>>
