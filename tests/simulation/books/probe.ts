import { available } from '@tollgate/domain/account/state.ts'
import type { UserId } from '@tollgate/domain/ids.ts'
import { type Quota, quota } from '@tollgate/domain/quota.ts'
import type { Admin } from '../actors/admin.ts'
import { pass } from '../actors/client.ts'
import type { Relay } from '../actors/relay.ts'
import type { Runtime } from '../core/simulated-runtime.ts'
import { makeRequest } from '../workload.ts'
import type { Auditor } from './auditor.ts'
import type { Refusals } from './refusals.ts'

/** Longer than a recall takes, shorter than a hold lies idle before it is given back. */
const RECALLED_MS = 1_000

/**
 * Asks an account for things once everything has settled: nothing is stuck, and nothing is refused that could be had
 * when idle quota is called back. One relay draws half and leaves it idle, the other draws all, an admin debits all.
 * In every second seed a request that costs twice what there is brings the account below zero instead: then nothing
 * is drawn any more, also not from what a relay holds.
 */
export function probe(
  runtime: Runtime,
  { auditor, refusals }: { readonly auditor: Auditor; readonly refusals: Refusals },
  [first, second]: readonly [Relay, ...Relay[]],
  admin: Admin,
  account: UserId,
): { readonly check: () => void } {
  const state = auditor.accounts.get(account)?.state
  // An account with open holds has not settled: its longest requests are still under way.
  const all = state === undefined || state.holds.size > 0 ? 0 : available(state)
  const isActive = state?.status === 'active'
  const isOverdrawn = isActive && runtime.seed % 2 === 0
  const answers: string[] = []

  async function ask(): Promise<void> {
    answers.push(await draw(first, account, quota(Math.ceil(all / 2))))
    answers.push(await draw(second, account, quota(all)))
    if (isOverdrawn) await overdraw()
    else answers.push((await admin.debit(account, quota(all)))?.status ?? 'unknown')
  }

  async function overdraw(): Promise<void> {
    const services = first.services()
    if (services === null) return
    const dear = makeRequest(runtime, `dear-${account}`, {
      account,
      token: null,
      estimate: quota(1),
      parts: [quota(2 * all)],
      partMs: RECALLED_MS,
      asksForMore: false,
      upstreamFails: false,
    })
    auditor.expect(dear)
    const transient = pass(runtime, services, refusals, dear)
    await services.life.clock.sleep(RECALLED_MS / 2)
    answers.push(await draw(second, account, quota(all - 1)))
    await transient
    await services.life.clock.sleep(RECALLED_MS)
    answers.push(await draw(second, account, quota(1)))
  }

  // An account that is suspended may still be debited.
  const last = isOverdrawn ? 'drawn refused' : 'done'
  const expected = `${isActive ? 'drawn drawn' : 'refused refused'} ${last}`
  if (all >= 2) ask().catch((error: unknown) => runtime.violate('probe-failed', String(error)))
  return {
    check() {
      if (all < 2) return
      const got = answers.join(' ')
      if (got === 'drawn drawn drawn drawn') {
        runtime.violate('started-below-zero', `account ${account} after ${2 * all} of ${all}`)
      } else if (got !== expected) {
        runtime.violate('refused-at-rest', `${all} of account ${account}: ${got}`)
      }
    },
  }
}

async function draw(relay: Relay | undefined, account: UserId, amount: Quota): Promise<string> {
  const drawn = await relay?.services()?.keeper.draw(account, null, amount)
  if (drawn?.status === 'drawn') drawn.reservation.release()
  return drawn?.status ?? 'down'
}
