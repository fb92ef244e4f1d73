import type { UpstreamProtocolName } from '../channel-types.ts'
import { AnswerOutput, type OutputFacts } from '../metering/answer-output.ts'
import { ThreadQueue, ThreadUnanswered } from '../thread-queue.ts'
import type { Endpoint } from './model-request.ts'
import type { WholeReply } from './upstream-protocol.ts'
import { upstreamProtocol } from './upstream-protocols.ts'

/**
 * Reads whole answers of upstreams. Short ones at once; longer ones in a thread: a few megabytes of nested lists take a
 * second to parse, and nobody else's request is to wait for them.
 */
export interface AnswerReader {
  read(
    protocol: UpstreamProtocolName,
    endpoint: Endpoint,
    body: Buffer,
  ): WholeReply | Promise<WholeReply>
  /** Ends the thread; what it was asked is garbage then. */
  close(): Promise<void>
}

/** What is read at once: 32 KiB of nothing but brackets parse in about 10 ms. */
const AT_ONCE_BYTES_MAX = 32 * 1024
/** The largest answers that are taken (64 MiB) parse in less, unless they are made to take long. */
const OVERRUN_MS = 10_000
/** Behind others; the client has waited for the answer already. */
const PATIENCE_MS = 20_000
/** Each holds its answer in memory. */
const WAITING_MAX = 64

/** A question to the thread: a body without its content encoding. */
export interface ReadQuestion {
  readonly protocol: UpstreamProtocolName
  readonly endpoint: Endpoint
  readonly body: Uint8Array
}

/** A WholeReply as it comes from the thread: output as facts. */
export type ReadReply =
  | Exclude<WholeReply, { readonly status: 'answered' }>
  | (Omit<Extract<WholeReply, { readonly status: 'answered' }>, 'output'> & {
      readonly output: OutputFacts
    })

/** Makes one; its thread starts with the first long answer. */
export function makeAnswerReader(): AnswerReader {
  const thread = new ThreadQueue<ReadQuestion, ReadReply>({
    script: new URL('./answer-thread.ts', import.meta.url),
    overrunMs: OVERRUN_MS,
    patienceMs: PATIENCE_MS,
    waitingMax: WAITING_MAX,
  })
  return {
    read(protocol, endpoint, body) {
      if (body.length <= AT_ONCE_BYTES_MAX) {
        return upstreamProtocol(protocol).readWhole(endpoint, body)
      }
      return thread.ask(() => ({ question: { protocol, endpoint, body } })).then(replyOf, unread)
    },
    close: () => thread.close(),
  }
}

function replyOf(reply: ReadReply): WholeReply {
  return reply.status === 'answered' ? { ...reply, output: AnswerOutput.of(reply.output) } : reply
}

function unread(error: unknown): WholeReply {
  if (!(error instanceof ThreadUnanswered)) throw error
  return { status: 'garbage', reason: "upstream's answer could not be read in time" }
}
