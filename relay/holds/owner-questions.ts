import { partitionOf } from '@tollgate/domain/account/partition.ts'
import { partsOfHold, type RelayId, type UserId } from '@tollgate/domain/ids.ts'
import { momentOf } from '@tollgate/domain/moment.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import {
  type HoldOwner,
  type HoldRefusal,
  HoldOwnerUnavailable,
} from '@tollgate/domain/ports/hold-owner.ts'
import type { LogMark, LogView } from '@tollgate/domain/timeline/log-view.ts'
import type { Randomness } from '@tollgate/domain/ports/randomness.ts'
import { minus, plus, type Quota } from '@tollgate/domain/quota.ts'
import type { LocalHold, HoldPool } from './local-hold.ts'
import { untilAnswered } from './patience.ts'

export interface OwnerQuestionsOptions {
  readonly relay: RelayId
  readonly owner: HoldOwner
  readonly clock: Clock
  readonly randomness: Randomness
  readonly log: LogView
}

/** A relay's questions to the owners of accounts: for new holds, and for more in holds that it has. */
export class OwnerQuestions {
  readonly #options: OwnerQuestionsOptions
  /** By partition. */
  readonly #ownerClocks = new Map<number, { aheadMs: number }>()

  constructor(options: OwnerQuestionsOptions) {
    this.#options = options
  }

  /** A new hold for a hold pool. Fails as the owner fails once patience has ended. */
  async place(pool: HoldPool, need: Quota, want: Quota): Promise<LocalHold | HoldRefusal> {
    const { owner, relay, clock, randomness, log } = this.#options
    const { account, token } = pool
    // A grant is as fresh as the moment it was first asked for, however late the answer is.
    const claimed = momentOf(clock)
    const ask = { account, token, relay, nonce: randomness.uuid(), need, want }
    const answer = await untilAnswered({
      id: ask.nonce,
      clock,
      ownerClock: this.#ownerClockOf(account),
      ask: (deadline) => owner.placeHold({ ...ask, ...seenSoFar(log), deadline }),
    })
    if (answer.status === 'refused') return answer
    if (answer.seen !== undefined) log.learn(answer.seen)
    const named = partsOfHold(answer.hold).log
    // One of the two works on a log that is not the present one any more, and will find out; its hold expires.
    if (named !== null && named !== log.log) {
      throw new HoldOwnerUnavailable(`hold ${answer.hold} is not of timeline ${log.log}`)
    }
    return {
      id: answer.hold,
      pool,
      free: answer.amount,
      flying: 0,
      sequence: 0,
      extensions: 0,
      extending: null,
      usedAt: clock.monotonicMs(),
      opened: claimed,
      claimed,
      isRetired: false,
      hasEnded: false,
      isFinalSent: false,
    }
  }

  /**
   * More quota in a hold. One question at a time: a further one waits and then asks for the part that is still missing.
   */
  async extend(
    hold: LocalHold,
    need: Quota,
    want: Quota,
  ): Promise<'extended' | 'closed' | HoldRefusal> {
    while (hold.extending !== null) {
      const before = hold.free
      await hold.extending
      if (minus(hold.free, before) >= need) return 'extended'
    }
    const asking = this.#ask(hold, need, want)
    hold.extending = asking.then(ignore, ignore)
    try {
      return await asking
    } finally {
      hold.extending = null
    }
  }

  async #ask(
    hold: LocalHold,
    need: Quota,
    want: Quota,
  ): Promise<'extended' | 'closed' | HoldRefusal> {
    const { owner, relay, clock, log } = this.#options
    const ask = {
      relay,
      hold: hold.id,
      number: hold.extensions + 1,
      need,
      want,
    }
    const answer = await untilAnswered({
      id: `${hold.id}/${ask.number}`,
      clock,
      ownerClock: this.#ownerClockOf(hold.pool.account),
      ask: (deadline) => owner.extendHold({ ...ask, ...seenSoFar(log), deadline }),
    })
    if (answer.status === 'refused') return answer
    if (answer.status === 'closed') return 'closed'
    if (answer.seen !== undefined) log.learn(answer.seen)
    hold.extensions += 1
    hold.free = plus(hold.free, answer.amount)
    return 'extended'
  }

  #ownerClockOf(account: UserId): { aheadMs: number } {
    const partition = partitionOf(account)
    const known = this.#ownerClocks.get(partition) ?? { aheadMs: 0 }
    this.#ownerClocks.set(partition, known)
    return known
  }
}

/** The relay's place in the log, which its messages tell owners. */
export function seenSoFar(log: LogView): { readonly seen?: LogMark } {
  const seen = log.mark()
  return seen === null ? {} : { seen }
}

const ignore = (): void => undefined
