import type { Socket } from 'node:net'
import { onRequestSent } from './sent-requests.ts'

/** Such as `HTTP/1.1 100`. */
const STATUS_LENGTH = 12
const INTERIM = /^HTTP\/1\.\d 1\d\d$/
const TWO = '2'.charCodeAt(0)

const headsOn = new WeakMap<Socket, AnswerHeads>()

/**
 * Lets upstreams send 100 Continue before their answer, asked for or not (RFC 9110, 15.2): undici breaks the connection
 * at it, and passes over other interim answers, so that 100 becomes 102 before undici reads it. Once per process.
 */
export function passContinueAnswers(): void {
  onRequestSent((socket) => {
    const heads = headsOn.get(socket) ?? watched(socket)
    heads.expect()
  })
}

function watched(socket: Socket): AnswerHeads {
  const heads = new AnswerHeads()
  headsOn.set(socket, heads)
  const push = socket.push.bind(socket)
  socket.push = (chunk: unknown, encoding) => {
    if (Buffer.isBuffer(chunk)) heads.take(chunk)
    return push(chunk, encoding)
  }
  return heads
}

/** Follows a connection through interim answers until the final one begins. */
class AnswerHeads {
  #isExpected = false
  #isInterim = false
  /** The beginning of the current line. */
  #line = ''

  /** A request goes out. */
  expect(): void {
    this.#isExpected = true
    this.#isInterim = false
    this.#line = ''
  }

  /** Changes 100 to 102 in place. */
  take(bytes: Buffer): void {
    for (let at = 0; this.#isExpected && at < bytes.length; at += 1) {
      const char = String.fromCharCode(bytes[at] ?? 0)
      if (char === '\n') this.#endLine()
      else if (char !== '\r' && this.#line.length < STATUS_LENGTH) {
        this.#line += char
        if (this.#line.length === STATUS_LENGTH && !this.#isInterim) this.#readStatus(bytes, at)
      }
    }
  }

  /** An empty line ends the head of an interim answer, and another head follows. */
  #endLine(): void {
    if (this.#line === '') this.#isInterim = false
    this.#line = ''
  }

  #readStatus(bytes: Buffer, at: number): void {
    this.#isInterim = INTERIM.test(this.#line)
    this.#isExpected = this.#isInterim
    if (this.#isInterim && this.#line.endsWith('100')) bytes[at] = TWO
  }
}
