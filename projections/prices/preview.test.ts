import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { priceBookFrom } from '@tollgate/domain/pricing/price-book.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { priceHistory } from '@tollgate/domain/settings/price-history.ts'
import { chargeAt } from '@tollgate/tests/support/histories/charge-history.ts'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readModels } from '../read-models.ts'
import { previewEffect, yesterdayIn } from './preview.ts'

let log: ProjectionLog
beforeEach(async () => {
  log = await openProjectionLog()
})
afterEach(() => log.close())

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 2, 10, 20)
const bookOf = (ratio: number) =>
  priceBookFrom(optionsFrom([['ModelRatio', JSON.stringify({ 'gpt-4o': ratio })]]), -1)

test('given charges around yesterday, when a draft is tried, then only those dated in its hours count', async () => {
  const usage = { ...NO_USAGE, textIn: 100 }
  const day = yesterdayIn('Asia/Shanghai', NOW)
  // In Shanghai it is the 11th already.
  expect(day).toEqual({ from: Date.UTC(2026, 2, 9, 16), to: Date.UTC(2026, 2, 10, 16) })
  const dates = [NOW - 8 * DAY, day.from - 1, day.from, day.to - 1, day.to]
  for (const [index, at] of dates.entries())
    await log.append('account-1', chargeAt(at, `r${index}`, bookOf(1), { usage }))
  await log.project(readModels)
  const found = await previewEffect(log, {
    history: priceHistory([]),
    book: bookOf(3),
    sinceMs: NOW - 7 * DAY,
    day,
  })
  expect(found.yesterday).toEqual({ charges: 2, quota: 200, repriced: 600, unpriced: 0 })
  expect(found.total).toEqual({ charges: 4, quota: 400, repriced: 1_200, unpriced: 0 })
})
