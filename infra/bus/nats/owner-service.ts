import type { Ledger } from '@tollgate/command-api/accounts/account-ledger.ts'
import { partitionOf } from '@tollgate/domain/account/partition.ts'
import type { UserId } from '@tollgate/domain/ids.ts'
import type { HoldOwner } from '@tollgate/domain/ports/hold-owner.ts'
import type { NatsLink } from './connection.ts'
import { accountsOf, type OwnerRequest, ownerRequestSchema } from './owner-message.ts'
import type { Reply } from './reply.ts'
import { serve, type Serving } from './rpc-server.ts'
import { commandSubject, ownerSubject } from './subjects.ts'
import { decode, MessageInvalid } from './messages.ts'

/** Requests of one partition worked on at a time: more than any owner gets done before those who ask give up. */
const REQUESTS_MAX = 2_000

/** The writer of a partition's accounts, as other processes may use it. */
export type ServedOwner = HoldOwner &
  Pick<Ledger, 'execute'> & { recallIdleQuota(account: UserId): Promise<void> }

export interface OwnerServiceOptions {
  readonly link: NatsLink
  readonly partition: number
  readonly owner: ServedOwner
  /** Whether this process owns the account at this moment; where it does not, it leaves the answer to the owner. */
  readonly owns: (account: UserId) => boolean
}

/** Owners of one partition, of which each command reaches one. */
const OWNER_QUEUE = 'owner'

/**
 * Answers what other processes ask the owner of a partition. For a moment two processes may believe to be it: questions
 * about holds are safe to be heard by both (nonces, numbers), and claims must be, or the other one would take a hold
 * for silent; a command must not.
 */
export function serveOwner({ link, partition, owner, owns }: OwnerServiceOptions): Serving {
  const answer = async (data: Uint8Array): Promise<Reply | null> => {
    const request = decode(ownerRequestSchema, data)
    const accounts = accountsOf(request)
    const stray = accounts.find((account) => partitionOf(account) !== partition)
    if (stray !== undefined) {
      throw new MessageInvalid(`account ${stray} is not of partition ${partition}`)
    }
    if (!accounts.every(owns)) return null
    return { status: 'answered', answer: (await answerOf(owner, request)) ?? null }
  }
  const common = { link, max: REQUESTS_MAX, answer }
  const servings = [
    serve({ ...common, subject: ownerSubject(partition) }),
    serve({ ...common, subject: commandSubject(partition), queue: OWNER_QUEUE }),
  ]
  return {
    async stop() {
      await Promise.all(servings.map((serving) => serving.stop()))
    },
  }
}

function answerOf(owner: ServedOwner, request: OwnerRequest): Promise<unknown> {
  switch (request.type) {
    case 'place-hold':
      return owner.placeHold(request.ask)
    case 'extend-hold':
      return owner.extendHold(request.ask)
    case 'claim-holds':
      return owner.claimHolds(request.relay, request.holds)
    case 'finish-hold':
      return owner.finishHold(request.hold, request.finalSequence)
    case 'execute': {
      const { account, command, cause, onlyOnceFrom: deduplicateFrom, deadline } = request
      return owner.execute(account, command, cause, { deduplicateFrom, deadline })
    }
    case 'recall-idle-quota':
      return owner.recallIdleQuota(request.account)
    default:
      return request satisfies never
  }
}
