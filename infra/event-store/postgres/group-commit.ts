import type { ChainedAppend } from '../chain.ts'
import { StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import { isAboutOneAppend } from './failures.ts'

/** One transaction takes at most this many appends: the last of them should not wait long for the first. */
const GROUP_APPENDS_MAX = 500
/** And this many bytes: its arrays stand in memory here and in the server. */
const GROUP_BYTES_MAX = 4 * 1024 * 1024
/** More than this waiting means the database has stalled; further appends are refused instead of filling memory. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024

/** The outcome of one append of a group. */
export type AppendOutcome =
  | { readonly status: 'stored'; readonly position: number }
  | { readonly status: 'not-stored'; readonly actualRevision: number }

/** Sends appends, at most one per stream, in one transaction; answers their outcomes in the same order. */
export type SendGroup = (group: readonly ChainedAppend[]) => Promise<readonly AppendOutcome[]>

export interface GroupCommit {
  /** Fails as `send` fails, or with StoreUnavailable ('none') when too much is waiting or the store was closed. */
  append(append: ChainedAppend): Promise<AppendOutcome>
  /** Refuses further appends and resolves when all taken before are settled. */
  close(): Promise<void>
}

/**
 * Gathers the appends that arrive while a group is on its way into the next one: one round trip and one fsync for
 * all, and no waiting when there is nothing to wait for. Appends of one stream go into groups of their own, in order.
 * An append that the server refuses fails alone: its group is sent again in halves.
 */
export function createGroupCommit(send: SendGroup): GroupCommit {
  let waiting: Waiting[] = []
  let waitingBytes = 0
  let isClosed = false
  let running: Promise<void> | null = null

  async function run(): Promise<void> {
    // One turn of the event loop, so that appends made in the same turn share the first group too.
    await Promise.resolve()
    while (waiting.length > 0) {
      const { group, rest } = takeGroup(waiting)
      waiting = rest
      for (const { append } of group) waitingBytes -= append.bytes
      await settle(group, send)
    }
    running = null
  }

  return {
    append(append) {
      if (isClosed) return Promise.reject(new StoreUnavailable('the event store is closed', 'none'))
      if (waitingBytes + append.bytes > WAITING_BYTES_MAX) {
        return Promise.reject(
          new StoreUnavailable('too many appends are waiting for PostgreSQL: try again', 'none'),
        )
      }
      const { promise, resolve, reject } = Promise.withResolvers<AppendOutcome>()
      waiting.push({ append, resolve, reject })
      waitingBytes += append.bytes
      running ??= run()
      return promise
    },
    async close() {
      isClosed = true
      await running
    },
  }
}

interface Waiting {
  readonly append: ChainedAppend
  resolve(outcome: AppendOutcome): void
  reject(error: unknown): void
}

function takeGroup(waiting: readonly Waiting[]): { group: Waiting[]; rest: Waiting[] } {
  const group: Waiting[] = []
  const rest: Waiting[] = []
  const streams = new Set<string>()
  let bytes = 0
  for (const one of waiting) {
    const { stream } = one.append
    const fits =
      group.length < GROUP_APPENDS_MAX &&
      (group.length === 0 || bytes + one.append.bytes <= GROUP_BYTES_MAX)
    if (fits && !streams.has(stream)) {
      group.push(one)
      bytes += one.append.bytes
    } else {
      rest.push(one)
    }
    // Once an append of a stream stays behind, the stream's later ones must too.
    streams.add(stream)
  }
  return { group, rest }
}

async function settle(group: readonly Waiting[], send: SendGroup): Promise<void> {
  try {
    const outcomes = await send(group.map((one) => one.append))
    for (const [index, one] of group.entries()) {
      const outcome = outcomes[index]
      if (outcome === undefined)
        one.reject(new Error('the server answered fewer outcomes than appends'))
      else one.resolve(outcome)
    }
  } catch (error) {
    if (group.length > 1 && isAboutOneAppend(error)) {
      const half = group.length >> 1
      await settle(group.slice(0, half), send)
      await settle(group.slice(half), send)
      return
    }
    for (const one of group) one.reject(error)
  }
}
