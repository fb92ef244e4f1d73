import { isTransient } from '@tollgate/domain/kernel/transient.ts'
import { partitionOf } from '@tollgate/domain/account/partition.ts'
import { type HoldId, partsOfHold, type RelayId } from '@tollgate/domain/ids.ts'
import { type HoldOwner, HoldOwnerUnavailable } from '@tollgate/domain/ports/hold-owner.ts'
import type { AskOwner } from './rpc-client.ts'
import type { BusLogger } from './bus-logger.ts'
import { reasonOf } from './failure.ts'
import {
  claimsSchema,
  doneSchema,
  extensionAnswerSchema,
  holdAnswerSchema,
} from './owner-message.ts'

/**
 * An owner that has not answered by then is asked again, or it is another by now. A relay repeats its questions for holds
 * more often and hears all of them; longer waits for a dead owner would use up the questions that may wait at a time.
 */
const ANSWERED_WITHIN_MS = 1_000
/** Holds in one claim: some 450 KB, below NATS's max_payload of 1 MB. */
const CLAIM_HOLDS_MAX = 5_000

export interface NatsHoldOwnerOptions {
  readonly ask: AskOwner
  readonly logger: BusLogger
  /** Default: a second. */
  readonly answeredWithinMs?: number
}

/**
 * The owners of all accounts, each asked by its partition. Fails with HoldOwnerUnavailable when one does not answer;
 * claims never fail: what is not acknowledged is missing from the answer.
 */
export function natsHoldOwner(options: NatsHoldOwnerOptions): HoldOwner {
  const { ask, logger, answeredWithinMs = ANSWERED_WITHIN_MS } = options
  const claim = async (relay: RelayId, holds: readonly HoldId[]): Promise<readonly HoldId[]> => {
    const [first] = holds
    if (first === undefined) return []
    const { account } = partsOfHold(first)
    const request = { type: 'claim-holds', relay, holds } as const
    try {
      return await ask(account, request, claimsSchema, answeredWithinMs)
    } catch (error) {
      const details = { partition: partitionOf(account), holds: holds.length }
      logger.warn({ ...details, reason: reasonOf(error) }, 'a claim of holds was not acknowledged')
      return []
    }
  }
  return {
    placeHold: (hold) =>
      orUnavailable(
        ask(hold.account, { type: 'place-hold', ask: hold }, holdAnswerSchema, answeredWithinMs),
      ),
    extendHold(extension) {
      const { account } = partsOfHold(extension.hold)
      const request = { type: 'extend-hold', ask: extension } as const
      return orUnavailable(ask(account, request, extensionAnswerSchema, answeredWithinMs))
    },
    async claimHolds(relay, holds) {
      const answers = await Promise.all(
        chunksByPartition(holds).map((chunk) => claim(relay, chunk)),
      )
      return answers.flat()
    },
    finishHold(hold, finalSequence) {
      const { account } = partsOfHold(hold)
      const request = { type: 'finish-hold', hold, finalSequence } as const
      return orUnavailable(ask(account, request, doneSchema, answeredWithinMs))
    },
  }
}

/** The holds of one partition together, in messages of bounded size. */
function chunksByPartition(holds: readonly HoldId[]): readonly HoldId[][] {
  const found: HoldId[][] = []
  for (const group of Map.groupBy(holds, (hold) =>
    partitionOf(partsOfHold(hold).account),
  ).values()) {
    for (let at = 0; at < group.length; at += CLAIM_HOLDS_MAX) {
      found.push(group.slice(at, at + CLAIM_HOLDS_MAX))
    }
  }
  return found
}

async function orUnavailable<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    if (isTransient(error)) {
      throw new HoldOwnerUnavailable(reasonOf(error), error)
    }
    throw error
  }
}
