import {
  AccountLedger,
  type CommandOptions,
} from '@tollgate/command-api/accounts/account-ledger.ts'
import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import { userId } from '@tollgate/domain/ids.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { exampleTimelines } from '../support/example-timelines.ts'
import { expect, test } from 'vitest'
import { seedSetting } from '../support/whole-setting.ts'
import { uncrashable } from './actors/admin.ts'
import { makeSimulation } from './core/simulated-runtime.ts'
import { makeStore } from './engines/store.ts'

const SEED = seedSetting('SIMULATION_SEED')
const ACCOUNT = userId(1)
/** As a step whose deciding event names no place in the account's stream. */
const ONCE: CommandOptions = { deduplicateFrom: { eventType: 'QuotaCredited' } }
const OPEN: AccountCommand = { type: 'OpenAccount' }
const SEEDS = 5
/** Longer than any scenario takes in virtual time. */
const END_MS = 3_600_000

/** An account whose owners take turns, on a log whose answers are lost at times. */
function makeAccount(seed: number) {
  const runtime = makeSimulation(seed, null)
  runtime.quieten({ storeLost: 0.02, storeUnanswered: 0.05 })
  const store = makeStore(runtime, () => undefined)
  let owners = 0
  const nextOwner = (): AccountLedger => {
    const life = uncrashable(runtime, `owner-${++owners}`)
    const randomness = { uuid: runtime.uuid, fraction: () => runtime.chances.fraction() }
    const port = store.portOf(life)
    const { clock } = life
    return new AccountLedger({ store: port, clock, randomness, timelines: exampleTimelines })
  }
  const credit = async (
    ledger: AccountLedger,
    causationId: string,
    options: CommandOptions = ONCE,
  ): Promise<void> => {
    const command = { type: 'CreditQuota', amount: quota(1), source: 'grant', reason: '' } as const
    const cause = { actor: 'system', correlationId: causationId, causationId } as const
    const outcome = await asked(() => ledger.execute(ACCOUNT, command, cause, options))
    expect(outcome.status).toBe('done')
  }
  /** As whoever drives a step does it: again while the log does not answer. */
  async function asked<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      try {
        return await ask()
      } catch {
        await uncrashable(runtime, 'driver').clock.sleep(100)
      }
    }
  }
  return {
    store,
    nextOwner,
    credit,
    open: (ledger: AccountLedger) =>
      asked(() =>
        ledger.execute(ACCOUNT, OPEN, { actor: 'system', correlationId: 'o', causationId: null }),
      ),
    times: (causationId: string): number =>
      store.log.filter(({ metadata }) => metadata.causationId === causationId).length,
    /** Lets virtual time pass until the scenario is over. */
    async play(scenario: Promise<void>): Promise<void> {
      const state = { isOver: false }
      const over = scenario.finally(() => (state.isOver = true))
      over.catch(() => undefined)
      while (!state.isOver && runtime.scheduler.now() < END_MS) {
        await runtime.scheduler.run(runtime.scheduler.now() + 1_000)
      }
      expect(state.isOver).toBe(true)
      await over
    },
  }
}

test('given 10,000 commands behind a step, when it is driven again, then it is not taken twice', async () => {
  const account = makeAccount(SEED)
  const scenario = async (): Promise<void> => {
    let owner = account.nextOwner()
    await account.open(owner)
    await account.credit(owner, 'step')
    for (let sent = 0; sent < 10_000; sent += 500) {
      const others = Array.from({ length: 500 }, (_, index) => `other-${sent + index}`)
      await Promise.all(others.map((other) => account.credit(owner, other, {})))
    }
    await account.credit(owner, 'step')
    owner = account.nextOwner()
    await account.credit(owner, 'step')
  }
  await account.play(scenario())
  expect(account.store.log.length).toBeGreaterThan(10_000)
  expect(account.times('step')).toBe(1)
}, 120_000)

test('given other owners and logs that are put back, when an id is repeated, then it counts once', async () => {
  for (let seed = SEED; seed < SEED + SEEDS; seed += 1) {
    const account = makeAccount(seed)
    const scenario = async (): Promise<void> => {
      await account.open(account.nextOwner())
      for (let turn = 0; turn < 5; turn += 1) {
        const [owner, other] = [account.nextOwner(), account.nextOwner()]
        // Two owners that both believe to be the only one.
        await Promise.all([account.credit(owner, 'step'), account.credit(other, 'step')])
        await account.credit(owner, `other-${turn}`)
        await account.credit(account.nextOwner(), 'step')
        expect(account.times('step'), `seed ${seed}, turn ${turn}`).toBe(1)
        // In every second turn the step is lost with the end of the log, and driven again.
        const found = account.store.log.findIndex((e) => e.metadata.causationId === 'step')
        account.store.putBack(turn % 2 === 0 ? found : found + 1)
      }
    }
    await account.play(scenario())
  }
}, 120_000)
