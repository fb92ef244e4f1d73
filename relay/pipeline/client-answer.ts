import type { ServerResponse } from 'node:http'
import type { Brake } from './brake.ts'

const STREAM_HEADERS = {
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const

/** A body up to this size is sent together with the head; putting a larger one behind it costs more than a second piece. */
const ONE_WRITE_BYTES_MAX = 8 * 1024

/** Why nothing more is to be delivered: the client left, or this process is being stopped. */
export type EndedBy = 'client' | 'stop'

/** The client's end of an exchange: written to directly, watched for a client that leaves or reads slowly. */
export class ClientAnswer {
  readonly #raw: ServerResponse
  readonly #headers: Readonly<Record<string, string>>
  #isGone = false
  #isStopped = false
  #onGone: ((by: EndedBy) => void) | null = null
  #undrained = 0
  #brake: Brake | null = null
  #queueChunks = 0
  #pings: NodeJS.Timeout | undefined

  /**
   * `headers` go with every answer: request id and CORS. A client that takes none of the waiting bytes within `stallMs`
   * is treated as one that left: its connection is closed. The system reports taken bytes in steps of up to about 1.4
   * MB, so that much within the time is always enough, however long the whole takes.
   */
  constructor(raw: ServerResponse, headers: Readonly<Record<string, string>>, stallMs: number) {
    this.#raw = raw
    this.#headers = headers
    raw.setTimeout(stallMs, () => this.#closeStalled())
    raw.on('close', () => {
      clearInterval(this.#pings)
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

  /** This process is being stopped: the client is still there and gets a message. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Calls back if the client leaves or the process is stopped; at once if that has happened. */
  whenGone(callback: ((by: EndedBy) => void) | null): void {
    this.#onGone = callback
    if (this.#isGone) callback?.('client')
    else if (this.#isStopped) callback?.('stop')
  }

  /**
   * Ends the request of a process that stops: its delivery learns of it and ends the client's answer with a message.
   */
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
    const isSmall = typeof body !== 'string' && body.length <= ONE_WRITE_BYTES_MAX
    // Every byte is one character of latin1, as in the head: node then sends both as one piece, without copies of each.
    if (isSmall) this.#raw.end(body.toString('latin1'), 'latin1')
    else this.#raw.end(body)
  }

  /**
   * Begins a stream, unless it has begun. From then to its end it is kept alive: proxies close one that is silent for
   * long (seeds, ping interval). Only whole events may be written to it, as pings come between them.
   */
  beginStream(contentType: string, more: Headers, ping: Ping | null): void {
    if (this.#isGone || this.hasBegun) return
    const headers = { ...this.#headers, ...more, 'content-type': contentType, ...STREAM_HEADERS }
    this.#raw.writeHead(200, headers)
    this.#raw.flushHeaders()
    if (ping !== null) this.#pings = setInterval(() => this.write(ping.text), ping.everyMs)
  }

  /** The stream's source from now on; it is held back while `queueChunks` chunks or more wait for the client. */
  takeFrom(brake: Brake, queueChunks: number): void {
    this.#brake = brake
    this.#queueChunks = queueChunks
    if (this.#undrained >= queueChunks) brake.hold('client')
  }

  /** A piece of the stream. */
  write(bytes: Buffer | string): void {
    if (this.#isGone) return
    if (this.#raw.write(bytes)) return
    this.#undrained += 1
    if (this.#undrained === 1) this.#raw.once('drain', () => this.#drained())
    if (this.#undrained >= this.#queueChunks) this.#brake?.hold('client')
  }

  /** The last bytes of the stream. */
  end(bytes: Buffer | string): void {
    if (this.#isGone) return
    clearInterval(this.#pings)
    this.#raw.end(bytes)
  }

  /**
   * The last bytes of a stream that failed, then the connection is destroyed without the body's last chunk: many
   * clients know no error events, and a body that ends in order looks complete to them.
   */
  breakOff(bytes: Buffer | string): void {
    if (this.#isGone) return
    clearInterval(this.#pings)
    this.#raw.write(bytes, () => this.#raw.destroy())
  }

  #drained(): void {
    this.#undrained = 0
    this.#brake?.free('client')
  }

  /**
   * The connection's timeout passed without progress: node looks at the queue to the system, so that progress within
   * one large write counts. A client for which nothing waits is idle for upstream's sake.
   */
  #closeStalled(): void {
    const { writableLength, writableEnded, writableFinished } = this.#raw
    if (writableLength > 0 || (writableEnded && !writableFinished)) this.#raw.destroy()
  }

  #leave(): void {
    if (this.#isGone) return
    clearInterval(this.#pings)
    this.#isGone = true
    this.#onGone?.('client')
  }
}

type Headers = Readonly<Record<string, string | number>>

/** The text that is sent to a client to which nothing else is sent meanwhile. */
interface Ping {
  readonly text: string
  readonly everyMs: number
}
