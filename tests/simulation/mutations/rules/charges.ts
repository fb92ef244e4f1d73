import { BELIEVES_READER } from './believes-reader.ts'
import { broken, edit, type Mutation } from '../mutation.ts'
import { HOLD_SERVICE, DECIDER, EVOLVE, SNAPSHOT, KEEPER, HELD_RESERVATION } from './files.ts'

/** Charges, refunds and debits, rules 9 to 11. */
export const chargesMutations: readonly Mutation[] = [
  broken(
    '9',
    'again-open',
    'a number is charged again, in an open hold',
    edit(
      DECIDER,
      'accepted === undefined ? chargedBefore : hasAccepted(accepted, sequence)',
      'hold === undefined ? (accepted === undefined ? chargedBefore : hasAccepted(accepted, sequence)) : false',
    ),
  ),
  broken(
    '9',
    'again-ended',
    'a number is charged again, in an ended hold',
    edit(
      DECIDER,
      'accepted === undefined ? chargedBefore : hasAccepted(accepted, sequence)',
      'hold === undefined ? false : hasAccepted(hold.accepted, sequence)',
    ),
  ),
  broken(
    '9',
    'again-by-read',
    'a charge of an ended hold is looked for by a read alone',
    ...BELIEVES_READER,
  ),
  broken(
    '9',
    'late-dropped',
    'a late charge is dropped',
    edit(
      DECIDER,
      "if (isRepeated === null) return refuse('hold-ended')",
      'if (hold === undefined) return decided()',
    ),
  ),
  broken(
    '9',
    'deleted-token',
    'a charge of a deleted token is refused',
    edit(
      DECIDER,
      "if (isRepeated === null) return refuse('hold-ended')",
      `if (isRepeated === null) return refuse('hold-ended')
  if (token !== null && !state.tokens.has(token)) return refuse('token-unknown')`,
    ),
  ),
  broken(
    '9',
    'forgotten',
    'carrying forward forgets accepted numbers',
    edit(SNAPSHOT, 'hold.accepted,\n  hold.extension.number', '[],\n  hold.extension.number'),
  ),
  broken(
    '10',
    'hold-alone',
    'charged to the hold alone',
    edit(DECIDER, 'late ? NO_QUOTA : lesser(amount, hold.remaining)', 'late ? NO_QUOTA : amount'),
  ),
  broken(
    '10',
    'uncovered',
    'delivered without cover',
    edit(
      HELD_RESERVATION,
      'if (total <= this.#reserved) return true',
      'if (total > 0) return true',
    ),
  ),
  broken(
    '10',
    'believed-covered',
    'covered without being granted',
    edit(
      HELD_RESERVATION,
      'this.#reserved = plus(this.#reserved, gained)',
      'this.#reserved = total',
    ),
  ),
  broken(
    '10',
    'reserved-untaken',
    'reserved without taking it out of the hold',
    edit(KEEPER, 'hold.free = minus(hold.free, taken)', ''),
  ),
  broken(
    '10',
    'freed-twice',
    'what is given back is freed twice',
    edit(
      KEEPER,
      'const amount = hold.free\n      hold.free = NO_QUOTA',
      'const amount = hold.free',
    ),
  ),
  broken(
    '11',
    'refund-early',
    'refunded without a charge',
    edit(
      DECIDER,
      "if (charged === null) return refuse('charge-unknown')",
      "if (charged === null) return decided({ type: 'UsageRefunded', data: { at, amount: quota(1), request, token, reason: command.reason } })",
    ),
  ),
  broken(
    '11',
    'debit-held',
    'debited from what is held',
    edit(DECIDER, 'if (amount > available(state)) return', 'if (amount > state.posted) return'),
  ),
  broken(
    '11',
    'debit-no-recall',
    'a debit is refused without a recall',
    edit(HOLD_SERVICE, 'await this.#idleQuota.callBack(account, null)', ''),
  ),
  broken(
    '11',
    'overwritten',
    "a token's limit is overwritten",
    edit(EVOLVE, 'remain: plus(present.remain, remainChange)', 'remain: remainChange'),
  ),
]
