import { ReadDenied } from '@tollgate/domain/ports/event-store.ts'
import { refusalOf } from './refusal.ts'

/** Whether the server lets this process read: told by what its last reads and its subscriptions met. */
export interface ReadRights {
  /** Passes on how a read ended, and notes it. */
  noting<Result>(read: Promise<Result>): Promise<Result>
  /** Notes how a subscription goes: refused with an error, or well (null), or over. */
  noteSubscription(subscription: object, error: unknown): void
  /** In words for an operator, null when it may read: calls that are under way go on when new ones are refused. */
  readProblem(): string | null
  /** In words for anybody; null while no subscription is refused. */
  followProblem(): string | null
}

export function readRights(): ReadRights {
  let denial: ReadDenied | null = null
  const refused = new Set<object>()
  return {
    async noting(read) {
      try {
        const result = await read
        denial = null
        return result
      } catch (error) {
        if (error instanceof ReadDenied) denial = error
        throw error
      }
    },
    noteSubscription(subscription, error) {
      if (error instanceof ReadDenied) refused.add(subscription)
      else refused.delete(subscription)
    },
    readProblem: () =>
      denial === null
        ? null
        : `EventStoreDB refuses new calls of Tollgate while those under way go on: ${refusalOf(denial) ?? denial.message}`,
    followProblem: () => (refused.size > 0 ? 'EventStoreDB does not let Tollgate read' : null),
  }
}
