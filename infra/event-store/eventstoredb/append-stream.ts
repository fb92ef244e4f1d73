import type { ClientDuplexStream } from '@grpc/grpc-js'
import { StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import { messageOf } from '../message-of.ts'
import type { ChainedAppend } from '../chain.ts'
import { type Connection, isNotLeader, ON_LEADER, onLeader } from './client.ts'
import { type AppendAnswer, appendAnswer, type CorrelatedAnswer } from './append-answer.ts'
import { appendRequest } from './append-request.ts'
import { StreamsClient, StreamsService } from './protocol.ts'

/** Sends one append and resolves with the server's answer. Fails with StoreUnavailable. */
export type SendAppend = (append: ChainedAppend) => Promise<AppendAnswer>

/** The call over which appends go and answers come, in any order. */
type BatchStream = ClientDuplexStream<Buffer, CorrelatedAnswer>

/** One append may be lost on its way; after two the node is given up, long before the connection's keep-alive does. */
const UNANSWERED_MAX = 2

/**
 * Appends over the protocol's BatchAppend call, as the client's own `appendToStream` does, for three reasons that
 * make the original unfit to stand in a process that must not fall: it has no deadline; when the connection breaks
 * while appends are waiting to be written, each of them becomes an unhandled rejection, which ends the process; and
 * it keeps its open appends in one map for all clients. It also writes JSON anew, while hashes are over given bytes.
 */
export function createAppendStream(
  { internals, abandon }: Pick<Connection, 'internals' | 'abandon'>,
  timeoutMs: number,
): SendAppend {
  const streams = new WeakMap<object, BatchStream | Promise<BatchStream>>()
  const pending = new WeakMap<BatchStream, Map<string, Pending>>()
  /** Appends that had no answer in time, since the last answer to any. */
  let unanswered = 0

  const openStream = internals.GRPCStreamCreator(
    StreamsClient,
    'appendToStream',
    (client) => {
      const stream = client.makeBidiStreamRequest(
        BATCH_APPEND.path,
        (request: Buffer) => request,
        appendAnswer,
        ...internals.callArguments(ON_LEADER, { deadline: Infinity }),
      )
      const waiting = new Map<string, Pending>()
      pending.set(stream, waiting)
      stream.on('data', ({ correlationId, answer }: CorrelatedAnswer) => {
        unanswered = 0
        // No entry: the append was given up at its deadline.
        waiting.get(correlationId)?.resolve(answer)
      })
      const failAll = (error: unknown): void => {
        for (const one of waiting.values()) one.reject(error)
      }
      stream.on('error', failAll)
      stream.on('end', () => failAll(new Error('the server ended the connection')))
      stream.on('close', () => failAll(new Error('the connection was closed')))
      return stream
    },
    streams,
  )

  const sendOnce: SendAppend = async (append) => {
    const { promise, resolve, reject } = Promise.withResolvers<AppendAnswer>()
    const correlationId = crypto.randomUUID()
    const sending: Sending = { waiting: null, isOver: false }
    const sentAt = performance.now()
    const timer = setTimeout(() => {
      reject(new Error(`no answer within ${timeoutMs} ms`))
      unanswered += 1
      if (unanswered >= UNANSWERED_MAX) abandon(sentAt)
    }, timeoutMs)

    async function write(): Promise<void> {
      const stream = await openStream()
      if (sending.isOver) return
      sending.waiting = pending.get(stream) ?? null
      sending.waiting?.set(correlationId, { resolve, reject })
      stream.write(appendRequest(correlationId, append), (error: Error | null | undefined) => {
        if (error) reject(error)
      })
    }

    try {
      write().catch(reject)
      return await promise
    } catch (error) {
      throw new StoreUnavailable(
        `EventStoreDB did not acknowledge an append to ${append.stream}: ${messageOf(error)}`,
        sending.waiting === null || isNotLeader(error) ? 'none' : 'unknown',
        error,
      )
    } finally {
      clearTimeout(timer)
      sending.isOver = true
      sending.waiting?.delete(correlationId)
    }
  }
  return (append) => onLeader(() => sendOnce(append))
}

const { batchAppend: BATCH_APPEND } = StreamsService

/** How far the sending of one append has come. */
interface Sending {
  /** Where its answer is expected; null while nothing was written, so nothing can have been stored. */
  waiting: Map<string, Pending> | null
  isOver: boolean
}

interface Pending {
  resolve(answer: AppendAnswer): void
  reject(error: unknown): void
}
