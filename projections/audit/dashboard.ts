import { numberOfStream } from '@tollgate/domain/event.ts'
import { completionTokens, promptTokens } from '@tollgate/domain/pricing/usage.ts'
import { daysOfHours, sumsOfHours } from '../dashboard/sums.ts'
import { keyText } from '../runner/columns.ts'
import type { Recorded } from '../runner/projected-events.ts'
import { compareCounts, differingSql } from './counts.ts'
import { type Comparison, compareTable, type ExpectedModel } from './expected-model.ts'

const HOUR_MS = 3_600_000

interface Hour {
  readonly hour: number
  readonly user_id: number
  readonly model: string
  readonly channel: number
  readonly token_id: number
}

/** Consumption by hour, user, model, channel and token; takes as much memory as the table has rows. */
export function expectDashboard(): ExpectedModel {
  const expected = new Map<string, { count: number; quota: number; tokens: number }>()

  function take(event: Recorded): void {
    if (event.type !== 'UsageCharged') return
    const { at, amount, token, request } = event.data
    const key = keyOf({
      hour: (Math.floor(at / HOUR_MS) * HOUR_MS) / 1000,
      user_id: numberOfStream(event.stream),
      model: keyText(request.model),
      channel: request.channel,
      token_id: token ?? 0,
    })
    const sum = expected.get(key) ?? { count: 0, quota: 0, tokens: 0 }
    expected.set(key, sum)
    sum.count += 1
    sum.quota += amount
    sum.tokens += promptTokens(request.usage) + completionTokens(request.usage)
  }

  async function compare(comparison: Comparison): Promise<void> {
    const isAsExpected = await compareTable(comparison, 'hours', {
      rows: comparison.rows<Hour>(
        'select hour, user_id, model, channel, token_id, count, quota, tokens from dashboard.hours',
      ),
      expected: new Map(expected),
      keyOf,
    })
    // The others are checked against the hours, so wrong hours would only blame them.
    if (!isAsExpected) return
    await compareCounts(comparison, 'sums', SUMS)
    await compareCounts(comparison, 'days', DAYS)
  }

  return { model: 'dashboard', tables: ['hours', 'sums', 'days'], take, compare }
}

const FIGURES = ['count', 'quota', 'tokens'] as const
const SUMS = differingSql(
  'dashboard.sums',
  ['hour', 'model', 'channel'],
  sumsOfHours('dashboard.hours'),
  FIGURES,
)
const DAYS = differingSql(
  'dashboard.days',
  ['day', 'user_id', 'token_id'],
  daysOfHours('dashboard.hours'),
  FIGURES,
)

const keyOf = ({ hour, user_id: user, model, channel, token_id: token }: Hour): string =>
  `hour ${hour}, user ${user}, channel ${channel}, token ${token}, model ${model}`
