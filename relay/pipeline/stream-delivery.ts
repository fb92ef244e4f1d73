import type { Passage } from '../protocols/passage.ts'
import type { StreamReader, UnreachableUpstream, UpstreamStream } from '../upstream/call.ts'
import type { PassedHeaders } from '../upstream/passed-headers.ts'
import { Brake } from './brake.ts'
import type { ClientAnswer } from './client-answer.ts'
import type { StreamCover } from './stream-cover.ts'

/**
 * How the delivery of a stream ended:
 * complete: upstream finished; the passage's `closing` is still to be sent;
 * failed: upstream sent an error, garbage, or broke off;
 * left: the client closed the connection;
 * cut-short: no more quota could be held;
 * stopped: this process is being stopped.
 */
export type StreamEnd = 'complete' | 'failed' | 'left' | 'cut-short' | 'stopped'

/** Bytes before the first content are kept back, so that another channel can still answer. */
const PRELUDE_BYTES_MAX = 64 * 1024
const NEWLINE = 0x0a
const RETURN = 0x0d
const COLON = 0x3a
/** Usage follows the finish reason at once; a client that leaves between them is charged by it (decision 6). */
const USAGE_WAIT_MS = 1_000

/** A piece from upstream: bytes, then a rest without a line's end, then the end itself. */
type Arrival =
  | { readonly kind: 'bytes'; readonly chunk: Buffer }
  | { readonly kind: 'rest' }
  | { readonly kind: 'end'; readonly failure: UnreachableUpstream | null }

export interface StreamDeliveryParts {
  readonly upstream: UpstreamStream
  readonly answer: ClientAnswer
  /** Upstream's, for the client. */
  readonly headers: PassedHeaders
  readonly passage: Passage
  /** The cover that pays for the written output. */
  readonly cover: StreamCover
  readonly queueChunks: number
  /** Null = a quiet stream is left quiet. */
  readonly pingEveryMs: number | null
  /** How long the head of the answer waits for content. */
  readonly headHeldMs: number
  /** When the client leaves, upstream is read to its end. */
  readonly drainsCancelled: boolean
  /** Monotonic milliseconds. */
  now(): number
  abortUpstream(): void
}

/**
 * Brings one stream to the client as it comes, all but its last event. Its head and its comments go out with the first
 * content, or after `headHeldMs` without it, so that no client takes a slow model for a dead one. A stream that fails
 * before its first content has bound the client to nothing: another channel may be tried. Before output exceeds the
 * reservation, more is held; upstream is paused meanwhile.
 */
export class StreamDelivery implements StreamReader {
  readonly passage: Passage
  readonly ended: Promise<StreamEnd>
  /** Monotonic moment of the first chunk; null before it. */
  firstChunkMs: number | null = null
  /** Why upstream's connection failed; null when it did not. */
  failure: UnreachableUpstream | null = null
  readonly #parts: StreamDeliveryParts
  readonly #brake: Brake
  #resolve: (end: StreamEnd) => void = () => undefined
  #end: StreamEnd | null = null
  /** The client is gone and upstream is being drained. */
  #hasLeft = false
  readonly #cover: StreamCover
  /**
   * Pieces that came and have not been read yet, in the order in which they came. Upstream is paused while they wait.
   */
  readonly #inbox: Arrival[] = []
  #isReading = false
  #isWaitingForQuota = false
  readonly #head: NodeJS.Timeout
  /** Set while the client is gone and only usage is waited for. */
  #usageWait: NodeJS.Timeout | undefined

  constructor(parts: StreamDeliveryParts) {
    this.#parts = parts
    this.#brake = new Brake(parts.upstream)
    this.passage = parts.passage
    this.#cover = parts.cover
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve
    })
    parts.answer.whenGone((by) => {
      if (by === 'stop') this.#endEarly('stopped')
      else if (parts.drainsCancelled) this.#drain()
      else this.#leave()
    })
    parts.answer.takeFrom(this.#brake, parts.queueChunks)
    this.#head = setTimeout(() => this.#open(), parts.headHeldMs)
    parts.upstream.attach(this)
  }

  /** True when the client has been given content: no other channel can answer this request any more. */
  get hasBegun(): boolean {
    return this.firstChunkMs !== null
  }

  onBytes(chunk: Buffer): void {
    this.#inbox.push({ kind: 'bytes', chunk })
    this.#readOn()
  }

  onEnd(failure: UnreachableUpstream | null): void {
    this.#inbox.push({ kind: 'rest' }, { kind: 'end', failure })
    this.#readOn()
  }

  /**
   * Reads the inbox in order until it is empty or quota has to be waited for. The only reader: bytes that arrive while
   * it runs (a source that resumes gives more within the call) are read after the earlier ones.
   */
  #readOn(): void {
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (!this.#isWaitingForQuota && this.#end === null) {
        const next = this.#inbox.shift()
        if (next === undefined) break
        this.#read(next)
      }
    } finally {
      this.#isReading = false
    }
    if (this.#end !== null) this.#inbox.length = 0
  }

  #read(next: Arrival): void {
    switch (next.kind) {
      case 'bytes':
        return this.#deliver(this.passage.push(next.chunk))
      case 'rest':
        return this.#deliver(this.passage.end())
      case 'end':
        this.failure = next.failure
        return this.#finish(this.#isWhole(next.failure) ? 'complete' : 'failed')
      default:
        return next satisfies never
    }
  }

  #deliver(bytes: Buffer): void {
    const covered = this.#cover.covers()
    if (covered === true) {
      this.#write(bytes)
      return
    }
    if (covered === false) {
      this.#endEarly('cut-short')
      return
    }
    this.#isWaitingForQuota = true
    this.#brake.hold('quota')
    covered.then(
      (isCovered) => this.#afterCover(isCovered, bytes),
      () => this.#afterCover(false, bytes),
    )
  }

  /** The bytes that waited go out first, then the later ones; only then does upstream go on. */
  #afterCover(isCovered: boolean, bytes: Buffer): void {
    this.#isWaitingForQuota = false
    if (this.#end !== null) return
    if (!isCovered) {
      this.#endEarly('cut-short')
      return
    }
    this.#write(bytes)
    this.#readOn()
    if (!this.#isWaitingForQuota) this.#brake.free('quota')
  }

  /** The client is gone. Upstream is given up, unless only its usage report is missing. */
  #leave(): void {
    const { isFinished, report } = this.passage
    if (!isFinished || report !== null || this.#isWaitingForQuota) {
      this.#finish('left')
      return
    }
    this.#usageWait = setTimeout(() => this.#finish('left'), USAGE_WAIT_MS)
    this.#drain()
  }

  /** The client reads no more: upstream goes on at its own speed, and the end of its answer ends the delivery. */
  #drain(): void {
    this.#hasLeft = true
    this.#brake.free('client')
  }

  /** Output that is not delivered any more is not charged either. */
  #endEarly(end: 'cut-short' | 'stopped'): void {
    this.passage.output.dropUndelivered()
    this.#finish(end)
  }

  #write(bytes: Buffer): void {
    const { passage } = this
    passage.output.markDelivered()
    if (bytes.length > 0) this.#send(bytes)
    if (passage.fault !== null || passage.error !== null) {
      this.#finish('failed')
    } else if (passage.isDone) {
      this.#finish('complete')
    } else if (this.#usageWait !== undefined && passage.report !== null) {
      this.#finish('left')
    }
  }

  /** Bytes from before the first content: comments, and events that only the answer with that content may have. */
  #comments: Buffer[] = []
  #events: Buffer[] = []
  #heldBytes = 0

  /** Sends the held bytes and lets everything after them pass: the answer is this channel's; once. */
  begin(): void {
    if (this.firstChunkMs !== null) return
    this.firstChunkMs = this.#parts.now()
    this.#open()
    for (const early of this.#events) this.#parts.answer.write(early)
    this.#events = []
  }

  /** Sends the head of the answer, if no other channel's did, and the comments. */
  #open(): void {
    clearTimeout(this.#head)
    const { passage, answer, headers, pingEveryMs } = this.#parts
    const ping = pingEveryMs === null ? null : { text: passage.keepAlive, everyMs: pingEveryMs }
    answer.beginStream(passage.contentType, headers, ping)
    for (const early of this.#comments) answer.write(early)
    this.#comments = []
  }

  #send(bytes: Buffer): void {
    if (this.passage.hasStarted || this.hasBegun) {
      this.begin()
      this.#parts.answer.write(bytes)
      return
    }
    const isOfComments = hasOnlyComments(bytes)
    if (isOfComments && this.#parts.answer.hasBegun) {
      this.#parts.answer.write(bytes)
      return
    }
    if (isOfComments) this.#comments.push(bytes)
    else this.#events.push(bytes)
    this.#heldBytes += bytes.length
    if (this.#heldBytes <= PRELUDE_BYTES_MAX) return
    if (isOfComments) this.#open()
    else this.begin()
  }

  /** Upstreams that forget to say that a stream is over have finished all the same when their answer is complete. */
  #isWhole(failure: UnreachableUpstream | null): boolean {
    const { isDone, isFinished, error, fault } = this.passage
    return isDone || (failure === null && isFinished && error === null && fault === null)
  }

  #finish(end: StreamEnd): void {
    if (this.#end !== null) return
    this.#end = this.#hasLeft && end === 'complete' ? 'left' : end
    clearTimeout(this.#head)
    clearTimeout(this.#usageWait)
    this.#parts.answer.whenGone(null)
    if (end !== 'complete' || !this.passage.isDone) this.#parts.abortUpstream()
    this.#resolve(this.#end)
  }
}

/** Whether clients skip every line of these. */
function hasOnlyComments(bytes: Buffer): boolean {
  let isAtLineStart = true
  for (const byte of bytes) {
    const isLineEnd = byte === NEWLINE || byte === RETURN
    if (isAtLineStart && !isLineEnd && byte !== COLON) return false
    isAtLineStart = isLineEnd
  }
  return true
}
