import { exampleTimelines } from '../support/example-timelines.ts'
import { AccountLedger } from '@tollgate/command-api/accounts/account-ledger.ts'
import { executeOn } from '@tollgate/command-api/aggregates/aggregate.ts'
import { EventFailureLog } from '@tollgate/command-api/aggregates/failure-log.ts'
import { sealLedger } from '@tollgate/command-api/audit/seal-ledger.ts'
import { trialBalance } from '@tollgate/command-api/audit/trial-balance.ts'
import { SETTINGS_STREAM } from '@tollgate/domain/event.ts'
import { relayId, requestId, userId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { settingsDecider } from '@tollgate/domain/settings/decider.ts'
import { seededChance } from '@tollgate/infra/demo/seeded-chance.ts'
import { systemClock, systemRandomness as randomness } from '@tollgate/infra/processes/runtime.ts'
import { reconcile } from '@tollgate/projections/audit/reconcile.ts'
import { journal } from '@tollgate/projections/journal/projector.ts'
import { balancesAsOf } from '@tollgate/projections/journal/queries.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openProjectionLog, type ProjectionLog } from '../support/projection-log.ts'

/** Wall clocks that step back and forth while two owners take turns: the order of the books must not follow them. */

const START = Date.UTC(2026, 10, 20)
const STEPS_MS = [-86_400_000, -3_600_000, -2_500, -1, 0, 1, 40, 2_500, 3_600_000]
const TURNS = 150

let log: ProjectionLog
beforeEach(async () => {
  log = await openProjectionLog()
})
afterEach(() => log.close())

/** A process's clock whose wall time steps at each reading. */
function steppingClock(seed: number): Clock {
  const random = seededChance(seed)
  let wallMs = START
  return {
    ...systemClock,
    now() {
      wallMs += STEPS_MS[Math.floor(random() * STEPS_MS.length)] ?? 0
      return wallMs
    },
  }
}

const cause = { actor: 'system', correlationId: 'attack', causationId: null } as const

async function writeByTurns(): Promise<void> {
  const { store } = log
  const owners = [1, 2].map((seed) => {
    const clock = steppingClock(seed)
    const ledger = new AccountLedger({
      timelines: exampleTimelines,
      store,
      clock,
      randomness,
      residentAccountsMax: 1,
    })
    const failures = new EventFailureLog({
      store,
      relay: relayId(`relay-${seed}`),
      clock,
      randomness,
      onDropped: (_, error) => expect(error).toBeUndefined(),
    })
    return { clock, ledger, failures }
  })
  const accounts = [userId(1), userId(2)]
  for (const account of accounts) {
    await owners[0]?.ledger.execute(account, { type: 'OpenAccount' }, cause)
  }
  for (let turn = 0; turn < TURNS; turn++) {
    const owner = owners[turn % 2]
    if (owner === undefined) continue
    const { clock, ledger, failures } = owner
    const credit = { type: 'CreditQuota', amount: quota(10), source: 'grant', reason: '' } as const
    await Promise.all(accounts.map((account) => ledger.execute(account, credit, cause)))
    if (turn % 5 > 0) continue
    const option = { type: 'ChangeOption', key: 'Notice', text: `turn ${turn}` } as const
    const writer = { store, clock, randomness }
    await executeOn(
      writer,
      { stream: SETTINGS_STREAM, decider: settingsDecider, command: option },
      cause,
    )
    await sealLedger(writer, cause)
    failures.record({
      account: userId(1),
      token: null,
      request: requestId(`r${turn}`),
      at: clock.now(),
      model: 'gpt-4o',
      group: 'default',
      channel: null,
      channelType: null,
      attempts: [],
      stream: false,
      firstByteMs: null,
      durationMs: 1,
      status: 500,
      errorType: 'x',
      errorCode: 'x',
      message: 'x',
    })
    await failures.settled()
  }
}

test('given stepping wall clocks, when owners and relays write in turn, then no stream’s time runs back', async () => {
  await writeByTurns()
  const latest = new Map<string, number>()
  const back: string[] = []
  for (const event of await log.store.readAll(-1, 'all', 10_000)) {
    const { stream, revision, data } = event
    const before = latest.get(stream) ?? 0
    if (data.at < before) back.push(`${stream}@${revision}: ${before - data.at} ms`)
    latest.set(stream, Math.max(before, data.at))
  }
  expect(back).toEqual([])
  const kinds = new Set([...latest.keys()].map((stream) => stream.split('-')[0]))
  expect(kinds).toEqual(new Set(['account', 'settings', 'relay', 'ledger']))
})

/** Events of the time when owners dated by their own clocks alone: dates that run back and forth. */
test('given old events whose dates run back, when asked as of any moment, then balances fit the stream', async () => {
  const random = seededChance(11)
  let at = START
  const prefix: { effectiveAt: number; wallet: number }[] = []
  let [wallet, effectiveAt] = [0, 0]
  await log.append('account-7', { type: 'AccountOpened', data: { at } })
  for (let turn = 0; turn < TURNS; turn++) {
    at += STEPS_MS[Math.floor(random() * STEPS_MS.length)] ?? 0
    effectiveAt = Math.max(effectiveAt, at, START)
    if (turn % 4 === 0) {
      // Moves no quota, and may carry the latest date all the same.
      await log.append('account-7', { type: 'AccountSuspended', data: { at } })
      continue
    }
    wallet += 1
    const data = { at, amount: 1, source: 'grant', reason: '' }
    await log.append('account-7', { type: 'QuotaCredited', data })
    prefix.push({ effectiveAt, wallet })
  }
  await log.project([journal])
  const moments = [...new Set(prefix.flatMap((one) => [one.effectiveAt - 1, one.effectiveAt]))]
  for (const moment of moments) {
    const expected = prefix.findLast((one) => one.effectiveAt <= moment)?.wallet ?? 0
    expect((await balancesAsOf(log.reads, 7, { before: moment + 1 })).wallet).toBe(expected)
    const { rows } = await trialBalance(log.store, { type: 'time', at: moment + 1 })
    expect(rows.find((row) => row.account === 'wallet')?.balance).toBe(String(expected))
  }
  const report = await reconcile({ store: log.store, pool: log.pool })
  expect(report.first).toEqual([])
})
