import { openSettingsLog } from '@tollgate/tests/support/histories/settings-log.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { priceHistory } from './price-history.ts'

const T = 1_000_000
const HOUR = 3_600_000

describe('the history of prices', () => {
  test('given plans, when a book is asked for, then it is the one that charges were priced by', () => {
    const log = openSettingsLog()
    log.revise(T, { ModelRatio: '{"a":1}' })
    log.revise(T, { ModelRatio: '{"a":2}' }, { effectiveAt: T + HOUR })
    log.revise(T, { ModelRatio: '{"a":9}' }, { effectiveAt: T + 2 * HOUR })
    log.revise(T + 1, { ModelRatio: '{"a":1,"b":7}' })
    log.decide(T + HOUR, { type: 'TakeEffect' })
    log.decide(T + HOUR + 1, { type: 'WithdrawPrices', number: 3 })
    const history = priceHistory(log.events)
    const ratios = (revision: number) => Object.fromEntries(history.book(revision).modelRatios)
    expect([0, 10, 20, 30].map(ratios)).toEqual([
      { a: '1' },
      { a: '2', b: '7' },
      { a: '9', b: '7' },
      { a: '1', b: '7' },
    ])
    expect([-1, 0, 20, 30, 40, 50].map((at) => history.revisionAt(at))).toEqual([
      -1, 0, 0, 30, 10, 10,
    ])
    expect(history.revision(10)).toMatchObject({ number: 2, inForceFrom: 40 })
    expect(history.revision(20)).toMatchObject({ number: 3, inForceFrom: null })
    expect(history.revision(5)).toBeNull()
  })

  test('given any saves, when folded, then the last book is what options say', () => {
    const step = fc.record({
      wait: fc.integer({ min: 1, max: 3 * HOUR }),
      model: fc.constantFrom('a', 'b'),
      ratio: fc.integer({ min: 1, max: 9 }),
      ahead: fc.constantFrom(0, HOUR, 2 * HOUR),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const log = openSettingsLog()
        let at = T
        // Every save decides on all prices anew: with a few hundred default ones that is most of the test.
        if (steps.length > 0) log.revise(at, { ModelRatio: '{"a":1,"b":1}' })
        for (const { wait, model, ratio, ahead } of steps) {
          at += wait
          const now = log.state().options.table('ModelRatio')
          const text = JSON.stringify({ ...Object.fromEntries(now), [model]: ratio })
          log.revise(at, { ModelRatio: text }, { effectiveAt: ahead === 0 ? null : at + ahead })
        }
        const history = priceHistory(log.events)
        const last = history.revisionAt(Number.MAX_SAFE_INTEGER)
        expect(history.revision(last)?.number ?? 0).toBe(log.state().prices.inForce)
        expect(new Map(history.book(last).modelRatios)).toEqual(
          new Map([...log.state().options.table('ModelRatio')].map(([k, v]) => [k, String(v)])),
        )
      }),
    )
  })
})
