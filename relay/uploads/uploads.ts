import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  BodyBudget,
  type BodyBudgetLimits,
  type BudgetLine,
  type UploadOwner,
} from './body-budget.ts'

/** Seconds in which a body must come, and how much of it at least in each stretch of RATE_SECONDS. */
export const RELAY_UPLOAD_SECONDS = 600
export const CONSOLE_UPLOAD_SECONDS = 30
const RATE_SECONDS = 10
const LEAST_BYTES_PER_SECOND = 16 * 1024
const SECOND_MS = 1_000

/** Bytes of a body are copied into blocks: a slice of a socket's buffer would keep all of that buffer. */
const BLOCK_BYTES_LEAST = 16 * 1024
const BLOCK_BYTES_MOST = 1024 * 1024

/** After this time a client asks again: others have ended their uploads by then, or were ended. */
export const RETRY_AFTER_SECONDS = 5

/** Why a body did not come in whole. */
export type UploadProblem =
  /** More bytes than allowed, by the declared length or by the received bytes. */
  | 'too-large'
  /** Below the least rate. */
  | 'too-slow'
  /** Not all there in time. */
  | 'too-long'
  /** The process, the account or the address has too much in flight. */
  | 'no-room'
  /** The client left, or the caller gave the upload up. */
  | 'aborted'
  /** `large.isWelcome` said no. */
  | 'unwelcome'

/** The whole body in parts, each with a buffer of its own, or the problem. */
export type Received =
  | {
      readonly status: 'received'
      readonly parts: readonly Buffer<ArrayBuffer>[]
      readonly bytes: number
    }
  | { readonly status: UploadProblem }

export interface UploadTerms {
  readonly bytesMax: number
  readonly seconds: number
  /** Asked once before more than `bytes` are taken in: from the declared length, else when so many have come. */
  readonly large?: { readonly bytes: number; readonly isWelcome: () => Promise<boolean> }
}

/** One request's body, counted until `end`. */
export interface Upload {
  /** Takes the body in. Once. Never fails: a failure is a status. */
  receive(terms: UploadTerms): Promise<Received>
  /** Counts more bytes that the request needs (its decompressed body); false when there is no room. */
  take(bytes: number): boolean
  give(bytes: number): void
  /** Ends `receive` as aborted. */
  abort(): void
  /** Gives everything back. To be called on every way out of the request; once more changes nothing. */
  end(): void
}

export interface UploadsOptions {
  readonly limits: BodyBudgetLimits
  /** The key that a client's address is counted under. */
  readonly addressKey: (ip: string) => string
  /** How long a second is; tests have shorter ones. */
  readonly secondMs?: number
}

/**
 * Takes in the bodies of all requests of a process, within one budget and at a least rate: bodies that never end must
 * not fill its memory. Bytes that are not taken in are not kept.
 */
export class Uploads {
  readonly #budget: BodyBudget
  readonly #addressKey: (ip: string) => string
  readonly #secondMs: number
  readonly #receiving = new Set<Receiving>()
  #timer: NodeJS.Timeout | undefined

  constructor({ limits, addressKey, secondMs = SECOND_MS }: UploadsOptions) {
    this.#budget = new BodyBudget(limits)
    this.#addressKey = addressKey
    this.#secondMs = secondMs
  }

  begin(
    request: IncomingMessage,
    response: ServerResponse,
    { account, ip }: { readonly account: UploadOwner['account']; readonly ip: string },
  ): Upload {
    const lines = this.#budget.linesOf({ account, address: this.#addressKey(ip) })
    return new CountedUpload(request, response, {
      lines,
      budget: this.#budget,
      watch: (one) => this.#watch(one),
    })
  }

  /** Bytes of bodies that the process holds now. */
  get bytesInFlight(): number {
    return this.#budget.bytesInFlight
  }

  /** Follows an upload's rate until it is done. */
  #watch(one: Receiving): () => void {
    this.#receiving.add(one)
    this.#timer ??= setInterval(() => {
      for (const receiving of this.#receiving) receiving.second()
    }, this.#secondMs).unref()
    return () => {
      this.#receiving.delete(one)
      if (this.#receiving.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }
}

/** Told of every second; not of those in which the process could not run, for which no client is to blame. */
interface Receiving {
  second(): void
}

class CountedUpload implements Upload, Receiving {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #lines: readonly BudgetLine[]
  readonly #budget: BodyBudget
  readonly #watch: (one: Receiving) => () => void
  #taken = 0
  #hasEnded = false

  #terms: UploadTerms | null = null
  #settle: ((received: Received) => void) | null = null
  #unwatch: (() => void) | null = null
  #declared: number | null = null
  #parts: Buffer<ArrayBuffer>[] = []
  /** The last part, as far as it has room. */
  #block: Buffer<ArrayBuffer> | null = null
  #used = 0
  #bytes = 0
  #isAsking = false
  #wasAsked = false
  #seconds = 0
  #bytesBefore = 0

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    {
      lines,
      budget,
      watch,
    }: {
      readonly lines: readonly BudgetLine[]
      readonly budget: BodyBudget
      readonly watch: (one: Receiving) => () => void
    },
  ) {
    this.#request = request
    this.#response = response
    this.#lines = lines
    this.#budget = budget
    this.#watch = watch
  }

  take(bytes: number): boolean {
    if (this.#hasEnded || !this.#budget.take(this.#lines, bytes)) return false
    this.#taken += bytes
    return true
  }

  give(bytes: number): void {
    const given = Math.min(bytes, this.#taken)
    this.#taken -= given
    this.#budget.give(this.#lines, given)
  }

  abort(): void {
    this.#finish({ status: 'aborted' })
  }

  end(): void {
    this.#finish({ status: 'aborted' })
    this.#hasEnded = true
    this.#parts = []
    this.#block = null
    this.give(this.#taken)
  }

  receive(terms: UploadTerms): Promise<Received> {
    const { headers } = this.#request
    const length = headers['content-length']
    if (length === undefined && headers['transfer-encoding'] === undefined) {
      return Promise.resolve({ status: 'received', parts: [], bytes: 0 })
    }
    this.#terms = terms
    this.#declared = length === undefined ? null : Number(length)
    return new Promise((resolve) => {
      this.#settle = resolve
      this.#begin()
    })
  }

  second(): void {
    if (this.#terms === null || this.#isAsking) return
    this.#seconds += 1
    if (this.#seconds >= this.#terms.seconds) {
      this.#finish({ status: 'too-long' })
      return
    }
    if (this.#seconds % RATE_SECONDS > 0) return
    const came = this.#bytes - this.#bytesBefore
    this.#bytesBefore = this.#bytes
    if (came < RATE_SECONDS * LEAST_BYTES_PER_SECOND) this.#finish({ status: 'too-slow' })
  }

  #begin(): void {
    const { bytesMax = 0, large } = this.#terms ?? {}
    const declared = this.#declared
    if (declared !== null && declared > bytesMax) {
      this.#finish({ status: 'too-large' })
      return
    }
    const request = this.#request
    // Node reports a client that leaves as an error too, and throws it where there is no listener.
    request.on('error', this.#onClose)
    request.on('close', this.#onClose)
    if (request.destroyed) {
      this.#onClose()
      return
    }
    if (large !== undefined && declared !== null && declared > large.bytes) {
      this.#ask(() => this.#read())
    } else {
      this.#read()
    }
  }

  #read(): void {
    this.#unwatch = this.#watch(this)
    // A client that waits for leave to send gets it now: its request was looked at.
    if (this.#request.headers.expect?.toLowerCase() === '100-continue') {
      this.#response.writeContinue()
    }
    this.#request.on('data', this.#onData)
    this.#request.on('end', this.#onEnd)
  }

  #ask(then: () => void): void {
    this.#isAsking = true
    this.#wasAsked = true
    const answered = (isWelcome: boolean): void => {
      this.#isAsking = false
      if (this.#settle === null) return
      if (isWelcome) then()
      else this.#finish({ status: 'unwelcome' })
    }
    void this.#terms?.large?.isWelcome().then(answered, () => answered(false))
  }

  readonly #onData = (chunk: Buffer): void => {
    const { bytesMax = 0, large } = this.#terms ?? {}
    if (this.#bytes + chunk.length > bytesMax) {
      this.#finish({ status: 'too-large' })
      return
    }
    if (!this.#keep(chunk)) {
      this.#finish({ status: 'no-room' })
      return
    }
    const isLarge = this.#declared === null && large !== undefined && this.#bytes > large.bytes
    if (!isLarge || this.#wasAsked) return
    this.#request.pause()
    this.#ask(() => this.#request.resume())
  }

  readonly #onEnd = (): void => {
    const parts = this.#parts
    if (this.#block !== null) parts[parts.length - 1] = this.#block.subarray(0, this.#used)
    this.#parts = []
    this.#finish({ status: 'received', parts, bytes: this.#bytes })
  }

  readonly #onClose = (): void => this.#finish({ status: 'aborted' })

  /** Copies a chunk into blocks; false when there is no room for another block. */
  #keep(chunk: Buffer): boolean {
    for (let at = 0; at < chunk.length;) {
      if (this.#block === null || this.#used === this.#block.length) {
        const size = this.#nextBlockBytes(chunk.length - at)
        if (!this.take(size)) return false
        this.#block = Buffer.allocUnsafeSlow(size)
        this.#parts.push(this.#block)
        this.#used = 0
      }
      const copied = chunk.copy(this.#block, this.#used, at)
      at += copied
      this.#used += copied
      this.#bytes += copied
    }
    return true
  }

  /** As much again as there is, so that there are few blocks; never more than was declared. */
  #nextBlockBytes(waiting: number): number {
    const grown = Math.min(BLOCK_BYTES_MOST, Math.max(BLOCK_BYTES_LEAST, this.#bytes))
    if (this.#declared === null) return grown
    return Math.max(waiting, Math.min(grown, this.#declared - this.#bytes))
  }

  #finish(received: Received): void {
    const settle = this.#settle
    if (settle === null) return
    this.#settle = null
    this.#unwatch?.()
    const request = this.#request
    request.off('data', this.#onData)
    request.off('end', this.#onEnd)
    request.off('close', this.#onClose)
    if (received.status !== 'received') {
      this.#parts = []
      this.#block = null
      // Bytes that are still to come are thrown away, so that the client gets to read the answer (linger.ts bounds
      // that).
      request.resume()
    }
    settle(received)
  }
}
