import { available } from '@tollgate/domain/account/state.ts'
import type { UserId } from '@tollgate/domain/ids.ts'
import { type Quota, quota } from '@tollgate/domain/quota.ts'
import type { Admin } from '../actors/admin.ts'
import type { Relay } from '../actors/relay.ts'
import type { World } from '../core/world.ts'
import type { Auditor } from './auditor.ts'

/**
 * Asks an account for things once everything has settled: nothing is stuck, and nothing is refused that could be had
 * when idle quota is called back. One relay draws half and leaves it idle, the other draws all, an admin debits all.
 */
export function probe(
  world: World,
  { accounts }: Auditor,
  [first, second]: readonly Relay[],
  admin: Admin,
  account: UserId,
): { readonly check: () => void } {
  const state = accounts.get(account)?.state
  // An account with open holds has not settled: its longest requests are still under way.
  const all = state === undefined || state.holds.size > 0 ? 0 : available(state)
  const isActive = state?.status === 'active'
  const answers: string[] = []

  async function ask(): Promise<void> {
    answers.push(await draw(first, account, quota(Math.ceil(all / 2))))
    answers.push(await draw(second, account, quota(all)))
    answers.push((await admin.debit(account, quota(all)))?.status ?? 'unknown')
  }

  if (all >= 2) ask().catch((error: unknown) => world.violate('probe-failed', String(error)))
  return {
    check() {
      if (all < 2) return
      // An account that is suspended may still be debited.
      const expected = isActive ? 'drawn drawn done' : 'refused refused done'
      const got = answers.join(' ')
      if (got !== expected) world.violate('refused-at-rest', `${all} of account ${account}: ${got}`)
    },
  }
}

async function draw(relay: Relay | undefined, account: UserId, amount: Quota): Promise<string> {
  const drawn = await relay?.services()?.keeper.draw(account, null, amount)
  if (drawn?.status === 'drawn') drawn.drawing.release()
  return drawn?.status ?? 'down'
}
