import { userId } from '../ids.ts'
import { invariant } from '../kernel/invariant.ts'
import type { AccountEvent } from './events.ts'
import { evolve } from './evolve.ts'
import { type LedgerAccount, postings } from './postings.ts'
import { type AccountState, available } from './state.ts'

/**
 * Folds events into a state, before they are appended and after they were read, and throws InvariantBroken when
 * - the balances do not become what the events' postings say: quota came from nowhere or went nowhere;
 * - a hold ends with another amount than it had left.
 * Consumes `state` (see AccountState).
 */
export function evolveConserving(
  state: AccountState,
  events: readonly AccountEvent[],
): AccountState {
  let after = state
  let due = balancesOf(state)
  for (const event of events) {
    checkEnd(after, event)
    after = evolve(after, event)
    due = event.type === 'BalanceCarriedForward' ? balancesOf(after) : posted(due, event)
  }
  const { wallet, held, affiliate } = balancesOf(after)
  invariant(
    wallet === due.wallet && held === due.held && affiliate === due.affiliate,
    () => `balances are ${wallet}, ${held}, ${affiliate}; postings make ${JSON.stringify(due)}`,
  )
  return after
}

/** Throws InvariantBroken unless `held` is the sum of the open holds' remaining quota. */
export function checkHeld({ held, holds }: AccountState): void {
  let remaining = 0
  for (const hold of holds.values()) remaining += hold.remaining
  invariant(held === remaining, () => `${held} is held; open holds have ${remaining} left`)
}

/** One user's balances, as the ledger accounts of these names. */
interface Balances {
  wallet: number
  held: number
  affiliate: number
}

const balancesOf = (state: AccountState): Balances => ({
  wallet: available(state),
  held: state.held,
  affiliate: state.affiliate,
})

/** Changes the balances it is given. */
function posted(balances: Balances, event: AccountEvent): Balances {
  if (event.type === 'UsageCharged') {
    // The same sums as by `postings`, without its lists: nearly all events are charges.
    balances.held -= event.data.fromHold
    balances.wallet -= event.data.fromWallet
    return balances
  }
  for (const { from, to, amount } of postings(SOMEBODY, event)) {
    const [giver, taker] = [OWN.get(from), OWN.get(to)]
    if (giver !== undefined) balances[giver] -= amount
    if (taker !== undefined) balances[taker] += amount
  }
  return balances
}

/** Postings name their user; only their amounts matter here. */
const SOMEBODY = userId(1)
const OWN: ReadonlyMap<LedgerAccount, keyof Balances> = new Map<LedgerAccount, keyof Balances>([
  [`wallet:${SOMEBODY}`, 'wallet'],
  [`held:${SOMEBODY}`, 'held'],
  [`affiliate:${SOMEBODY}`, 'affiliate'],
])

function checkEnd({ holds }: AccountState, event: AccountEvent): void {
  if (event.type !== 'HoldReleased' && event.type !== 'HoldExpired') return
  const { hold, amount } = event.data
  const remaining = holds.get(hold)?.remaining
  invariant(
    remaining === undefined || remaining === amount,
    () => `hold ${hold} ends with ${amount}; it has ${remaining} left`,
  )
}
