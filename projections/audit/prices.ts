import type { Position } from '@tollgate/domain/event.ts'
import { isSettingsEvent } from '@tollgate/domain/settings/events.ts'
import { priceHistory, type SettingsRecord } from '@tollgate/domain/settings/price-history.ts'
import type { Recorded } from '../runner/projected-events.ts'
import { type Comparison, compareTable, type Figure, type ExpectedModel } from './expected-model.ts'

/** Every revision of prices by the domain's own fold, and what was charged by each. */
export function expectPrices(): ExpectedModel {
  const events: SettingsRecord[] = []
  const usage = new Map<Position, { charges: number; quota: number }>()

  function take(event: Recorded): void {
    if (event.type === 'UsageCharged') {
      const { amount, request } = event.data
      const { bookRevision } = request.price
      const { charges, quota } = usage.get(bookRevision) ?? { charges: 0, quota: 0 }
      usage.set(bookRevision, { charges: charges + 1, quota: quota + amount })
    } else if (isSettingsEvent(event)) events.push(event)
  }

  async function compare(comparison: Comparison): Promise<void> {
    const history = priceHistory(events)
    const revisions = new Map<string, Readonly<Record<string, Figure>>>()
    for (const { position, data } of events) {
      const known = history.revision(position)
      if (known === null) continue
      const { number, inForceFrom } = known
      const figures = { number, at: data.at, in_force_position: inForceFrom }
      revisions.set(`revision ${position}`, figures)
    }
    await compareTable(comparison, 'revisions', {
      rows: comparison.rows<{ revision: Position }>('select * from prices.revisions'),
      expected: revisions,
      keyOf: ({ revision }) => `revision ${revision}`,
    })
    await compareTable(comparison, 'usage', {
      rows: comparison.rows<{ revision: Position }>('select * from prices.usage'),
      expected: new Map(
        [...usage].map(([revision, sums]) => [`revision ${revision}`, { ...sums }]),
      ),
      keyOf: ({ revision }) => `revision ${revision}`,
    })
  }

  return { model: 'prices', tables: ['revisions', 'usage'], take, compare }
}
