import { partitionOf } from '@tollgate/domain/account/partition.ts'
import type { UserId } from '@tollgate/domain/ids.ts'
import type { z } from 'zod'
import type { NatsLink } from './connection.ts'
import { isNoResponders, reasonOf } from './failure.ts'
import { inFlight, NatsUnavailable } from './in-flight.ts'
import type { OwnerRequest } from './owner-message.ts'
import { errorOf, LedgerUnavailable, replySchema } from './reply.ts'
import { commandSubject, ownerSubject } from './subjects.ts'
import { decode, encode } from './messages.ts'

/** Questions that may wait for owners at a time; beyond, asking fails at once. */
const QUESTIONS_MAX = 10_000

/**
 * Asks the owner of an account; the answer has this shape. Fails with LedgerUnavailable when nobody owns the account
 * at present or no answer comes within the time, and with what the owner failed with.
 */
export type AskOwner = <Answer>(
  account: UserId,
  request: OwnerRequest,
  answer: z.ZodType<Answer>,
  withinMs: number,
) => Promise<Answer>

/** One way of asking for all questions of a process, so that they are bounded together. */
export function askOwners(link: NatsLink): AskOwner {
  const bounded = inFlight(link, QUESTIONS_MAX)
  return async (account, request, answer, withinMs) => {
    const subjectOf = request.type === 'execute' ? commandSubject : ownerSubject
    const subject = subjectOf(partitionOf(account))
    const asked = () => link.client.request(subject, encode(request), { timeout: withinMs })
    const message = await bounded(asked).catch((error: unknown) => {
      throw unavailable(account, error)
    })
    const reply = decode(replySchema, message.data)
    if (reply.status === 'failed') throw errorOf(reply, account)
    return answer.parse(reply.answer)
  }
}

function unavailable(account: UserId, error: unknown): LedgerUnavailable {
  const isUnsent =
    isNoResponders(error) || (error instanceof NatsUnavailable && error.outcome === 'none')
  return new LedgerUnavailable(
    `the owner of account ${account} cannot be asked: ${reasonOf(error)}`,
    isUnsent ? 'none' : 'unknown',
    error,
  )
}
