import { expect, test } from 'vitest'
import type { Freshness } from '../core/status.ts'
import { latenessOf } from './lateness.ts'

type Model = Freshness['read_models'][number]

const FRESH: Model = {
  name: 'balances',
  position: 100,
  state: 'following',
  delay_ms: 40,
  stopped_at: null,
}
const lateness = (...models: readonly Partial<Model>[]) =>
  latenessOf({ head: 100, read_models: models.map((model) => ({ ...FRESH, ...model })) })

test('given read models at the log’s end, when the last event was late, then nothing is late any more', () => {
  expect(lateness({ delay_ms: 60_000 })).toEqual({ position: 100, isLate: false })
})

test('given a read model that lags, when shown, then the last position counts, late from two seconds on', () => {
  expect(lateness({}, { position: 90, delay_ms: 2000 })).toEqual({ position: 90, isLate: false })
  expect(lateness({}, { position: 90, delay_ms: 2001 })).toEqual({ position: 90, isLate: true })
})

test.each<Partial<Model>>([{ stopped_at: 7, state: 'stopped' }, { state: 'outdated' }])(
  'given a read model with %j, when shown, then it is late although it has seen everything',
  (model) => {
    expect(lateness(model).isLate).toBe(true)
  },
)

test('given no read model yet, when shown, then everything is seen', () => {
  expect(latenessOf({ head: 5, read_models: [] })).toEqual({ position: 5, isLate: false })
})
