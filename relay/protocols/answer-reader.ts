import type { UpstreamProtocolName } from '../channel-types.ts'
import { AnswerOutput, type OutputFacts } from '../metering/answer-output.ts'
import { ThreadQueue, ThreadUnanswered } from '../thread-queue.ts'
import type { TranslatedRequest, TranslationTerms } from './translation.ts'
import type { WholeReply } from './upstream-protocol.ts'
import { type AnswerInHand, readReply } from './read-reply.ts'

/**
 * Reads whole answers of upstreams. Short ones at once; longer ones in a thread: a few megabytes of nested lists take a
 * second to parse, and no other request may wait for them.
 */
export interface AnswerReader {
  read(protocol: UpstreamProtocolName, answer: AnswerInHand): WholeReply | Promise<WholeReply>
  /** Puts a long request in other words. */
  translate(raw: Buffer, terms: TranslationTerms): Promise<TranslatedRequest>
  /** Ends the thread; its open questions are answered as garbage then. */
  close(): Promise<void>
}

/** The most that is read on the serving thread: 32 KiB of nothing but brackets parse in about 10 ms. */
const AT_ONCE_BYTES_MAX = 32 * 1024
/** The largest answers that are taken (64 MiB) parse in less, unless they are made to take long. */
const OVERRUN_MS = 10_000
/** Behind others; the client has waited for the answer already. */
const PATIENCE_MS = 20_000
/** Each holds its answer in memory. */
const WAITING_MAX = 64

/** A question to the thread: a body without its content encoding. */
export type ReadQuestion =
  | ({
      readonly of: 'answer'
      readonly protocol: UpstreamProtocolName
      readonly body: Uint8Array
    } & Omit<AnswerInHand, 'body'>)
  | { readonly of: 'request'; readonly body: Uint8Array; readonly terms: TranslationTerms }

/** A WholeReply as it comes from the thread: output as facts. */
export type ReadReply =
  | Exclude<WholeReply, { readonly status: 'answered' }>
  | (Omit<Extract<WholeReply, { readonly status: 'answered' }>, 'output'> & {
      readonly output: OutputFacts
    })

const BUSY: TranslatedRequest = { status: 'busy' }

/** Makes one; its thread starts with the first long answer. */
export function makeAnswerReader(): AnswerReader {
  const thread = new ThreadQueue<ReadQuestion, ReadReply | TranslatedRequest>({
    script: new URL('./answer-thread.ts', import.meta.url),
    overrunMs: OVERRUN_MS,
    patienceMs: PATIENCE_MS,
    waitingMax: WAITING_MAX,
  })
  return {
    read(protocol, answer) {
      if (answer.body.length <= AT_ONCE_BYTES_MAX) return readReply(protocol, answer)
      return thread
        .ask(() => ({ question: { of: 'answer', protocol, ...answer } }))
        .then(replyOf, unread)
    },
    async translate(raw, terms) {
      try {
        const answer = await thread.ask(() => {
          const body = new Uint8Array(raw)
          return { question: { of: 'request', body, terms }, transfer: [body.buffer] }
        })
        return isTranslated(answer) ? answer : BUSY
      } catch (error) {
        if (!(error instanceof ThreadUnanswered)) throw error
        return BUSY
      }
    },
    close: () => thread.close(),
  }
}

const isTranslated = (answer: ReadReply | TranslatedRequest): answer is TranslatedRequest =>
  answer.status === 'translated' ||
  answer.status === 'read' ||
  answer.status === 'edited' ||
  answer.status === 'untranslatable' ||
  answer.status === 'busy'

function replyOf(reply: ReadReply | TranslatedRequest): WholeReply {
  if (isTranslated(reply)) throw new TypeError('the thread answered another question')
  return reply.status === 'answered' ? { ...reply, output: AnswerOutput.of(reply.output) } : reply
}

function unread(error: unknown): WholeReply {
  if (!(error instanceof ThreadUnanswered)) throw error
  return { status: 'garbage', reason: "upstream's answer could not be read in time" }
}
