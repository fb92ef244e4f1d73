import { openSettingsLog } from '@tollgate/tests/support/histories/settings-log.ts'
import { describe, expect, test } from 'vitest'
import { decided } from '../decision.ts'
import { revisePrices, takeEffect, withdrawPrices } from './decide-prices.ts'
import { decideSettings } from './decider.ts'
import type { PriceEvent, SettingsEvent } from './events.ts'

const T = 1_000_000
const HOUR = 3_600_000

const typesOf = (events: readonly SettingsEvent[] | string) =>
  typeof events === 'string' ? events : events.map(({ type }) => type)

/** Asks this module itself: its tests must fail when one of its guards is left out. */
const decide: typeof decideSettings = (state, command, context) => {
  switch (command.type) {
    case 'RevisePrices':
      return revisePrices(state, command, context.at)
    case 'TakeEffect':
      return decided(...takeEffect(state, context.at))
    case 'WithdrawPrices':
      return withdrawPrices(state, command, context.at)
    case 'ChangeOption':
    case 'ClearLogs':
      return decideSettings(state, command, context)
    default:
      return command satisfies never
  }
}
const openLog = () => openSettingsLog(decide)

/** A plan for the hour `number` from T on. */
const planOf = (number: number): PriceEvent => ({
  type: 'PriceBookRevised',
  data: {
    at: T,
    number,
    effectiveAt: T + number * HOUR,
    changes: [{ key: 'ModelRatio', value: `{"a":${number}}`, previous: null }],
    note: null,
  },
})

describe('revisions in force at once', () => {
  test('given several options, when saved, then one event has all that changes', () => {
    const log = openLog()
    const options = { ModelRatio: '{"m":2}', QuotaPerUnit: ' 500000.0 ', GroupRatio: '{"vip":1}' }
    expect(log.revise(T, options)).toEqual([
      {
        type: 'PriceBookRevised',
        data: {
          at: T,
          number: 1,
          effectiveAt: T,
          changes: [
            { key: 'ModelRatio', value: '{"m":2}', previous: null },
            { key: 'GroupRatio', value: '{"vip":1}', previous: null },
          ],
          note: null,
        },
      },
    ])
    expect(log.table('ModelRatio')).toEqual({ m: 2 })
    expect(log.revise(T, options)).toEqual([])
  })

  test('given two who read the same prices, when the second saves, then it is a conflict', () => {
    const log = openLog()
    log.revise(T, { ModelRatio: '{"m":2}' }, { base: 0 })
    expect(log.revise(T, { ModelRatio: '{"m":3}' }, { base: 0 })).toBe('prices-changed')
    // A save that was lost on its way back is no conflict with itself.
    expect(log.revise(T, { ModelRatio: '{"m":2}' }, { base: 0 })).toEqual([])
    expect(typesOf(log.revise(T, { ModelRatio: '{"m":3}' }, { base: 1 }))).toHaveLength(1)
  })

  test.each([
    [{ Notice: 'x' }, 'unfit-key'],
    [{ ModelRatio: '{"m":' }, 'invalid-option'],
    [{ ModelRatio: '{"m":-1}', GroupRatio: '{"a":1}' }, 'invalid-option'],
    [{ ModelPrice: '{"m":0}' }, 'invalid-option'],
    [{ ModelRatio: '{"m":1000000000}', CompletionRatio: '{"m":100000000}' }, 'invalid-option'],
  ])('given %j, when saved, then all of it is refused', (options, reason) => {
    const log = openLog()
    expect(log.revise(T, options)).toBe(reason)
    expect(log.events).toEqual([])
  })

  test('given texts that are too long for one event together, when saved, then they are refused', () => {
    const long = `{"${'m'.repeat(99_000)}":2}`
    const two = { ModelRatio: long, CompletionRatio: long }
    expect(typesOf(openLog().revise(T, two))).toEqual(['PriceBookRevised'])
    expect(openLog().revise(T, { ...two, CacheRatio: long })).toBe('revision-too-long')
  })

  test('given an option of before, when changed by itself, then it is a revision with one change', () => {
    const log = openLog()
    const changed = log.decide(T, { type: 'ChangeOption', key: 'GroupRatio', text: '{"vip":2}' })
    expect(typesOf(changed)).toEqual(['PriceBookRevised'])
    expect(log.state().prices.inForce).toBe(1)
  })
})

describe('planned revisions', () => {
  test('given a plan, when its time comes, then it is laid over what others changed meanwhile', () => {
    const log = openLog()
    log.revise(T, { ModelRatio: '{"a":1,"b":1}' })
    log.revise(T, { ModelRatio: '{"a":2,"b":1}' }, { effectiveAt: T + HOUR })
    expect(log.table('ModelRatio')).toEqual({ a: 1, b: 1 })
    log.revise(T + 1, { ModelRatio: '{"a":1,"b":1,"c":5}' })
    expect(typesOf(log.decide(T + HOUR - 1, { type: 'TakeEffect' }))).toEqual([])
    const [event] = log.decide(T + HOUR, { type: 'TakeEffect' }) as readonly PriceEvent[]
    expect(event).toMatchObject({ type: 'PriceRevisionTookEffect', data: { number: 2 } })
    expect(log.table('ModelRatio')).toEqual({ a: 2, b: 1, c: 5 })
    expect(log.state().prices).toMatchObject({ inForce: 2, newest: 3, planned: [] })
    expect(log.decide(T + HOUR, { type: 'TakeEffect' })).toEqual([])
  })

  test('given a plan whose time came unnoticed, when prices are saved, then it takes effect before', () => {
    const log = openLog()
    log.revise(T, { ModelRatio: '{"a":2}' }, { effectiveAt: T + HOUR })
    const saved = log.revise(T + HOUR, { ModelRatio: '{"a":3}' })
    expect(typesOf(saved)).toEqual(['PriceRevisionTookEffect', 'PriceBookRevised'])
    expect(log.table('ModelRatio')).toEqual({ a: 3 })
  })

  test('given a plan, when withdrawn in time, then it never takes effect; later it stays', () => {
    const log = openLog()
    log.revise(T, { ModelRatio: '{"a":2}' }, { effectiveAt: T + HOUR })
    const withdraw = { type: 'WithdrawPrices', number: 1 } as const
    expect(log.decide(T + 2 * HOUR, withdraw)).toBe('revision-not-planned')
    expect(typesOf(log.decide(T + 1, withdraw))).toEqual(['PriceRevisionWithdrawn'])
    expect(log.decide(T + 2, withdraw)).toEqual([])
    expect(log.decide(T + 2 * HOUR, { type: 'TakeEffect' })).toEqual([])
    expect(log.decide(T, { type: 'WithdrawPrices', number: 9 })).toBe('revision-not-planned')
  })

  test('given a plan that is repeated, when saved again, then it is the one that is there', () => {
    const log = openLog()
    const plan = { effectiveAt: T + HOUR, base: 0 }
    log.revise(T, { ModelRatio: '{"a":2}' }, plan)
    expect(log.revise(T + 1, { ModelRatio: '{"a":2}' }, plan)).toEqual([])
  })

  test('given a plan seconds ahead, when other prices are to come before it, then they wait', () => {
    const log = openLog()
    log.revise(T, { ModelRatio: '{"a":2}' }, { effectiveAt: T + HOUR })
    expect(log.revise(T + HOUR - 5_000, { ModelRatio: '{"b":2}' })).toBe('plan-imminent')
    const after = { effectiveAt: T + HOUR + 1 }
    expect(typesOf(log.revise(T + HOUR - 5_000, { ModelRatio: '{"b":2}' }, after))).toHaveLength(1)
  })

  test.each([-60_001, 3 * 366 * 86_400_000])(
    'given a time %d ms ahead, when planned, then it is refused',
    (aheadMs) => {
      const effectiveAt = T * 1_000 + aheadMs
      expect(openLog().revise(T * 1_000, { ModelRatio: '{"a":2}' }, { effectiveAt })).toBe(
        'effect-out-of-range',
      )
    },
  )

  test('given prices that are dear together with a plan, when saved, then they are refused', () => {
    const log = openLog()
    log.revise(T, { ModelRatio: '{"m":1000000000}' }, { effectiveAt: T + HOUR })
    expect(log.revise(T, { CompletionRatio: '{"m":100000000}' })).toBe('invalid-option')
  })

  test('given as many plans as may be, when one more is made, then it is refused', () => {
    const log = openLog()
    for (let n = 1; n < 50; n += 1) log.record(planOf(n))
    const plan = (n: number) =>
      log.revise(T, { ModelRatio: `{"a":${n}}` }, { effectiveAt: T + n * HOUR })
    expect(typesOf(plan(50))).toEqual(['PriceBookRevised'])
    expect(plan(51)).toBe('too-many-planned')
    expect(typesOf(log.revise(T, { ModelRatio: '{"a":51}' }))).toEqual(['PriceBookRevised'])
  })
})
