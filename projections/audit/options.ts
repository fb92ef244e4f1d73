import { optionChangesIn } from '@tollgate/domain/settings/price-changes.ts'
import { changesOptions } from '../usage-log/settings.ts'
import type { Recorded } from '../runner/projected-events.ts'
import { storableText } from '@tollgate/domain/text.ts'
import { type Comparison, compareTable, type Figure, type ExpectedModel } from './expected-model.ts'

/** Every option as its last change left it. */
export function expectOptions(): ExpectedModel {
  const expected = new Map<string, Readonly<Record<string, Figure>>>()

  function take(event: Recorded): void {
    if (!changesOptions(event)) return
    for (const { key, value } of optionChangesIn(event)) {
      expected.set(`option ${key}`, {
        value: value === null ? null : storableText(value),
        position: event.position,
        changed_at: event.data.at,
      })
    }
  }

  const compare = (comparison: Comparison): Promise<boolean> =>
    compareTable(comparison, 'options', {
      rows: comparison.rows<{ key: string }>('select * from options.options'),
      expected,
      keyOf: (row) => `option ${row.key}`,
    })

  return { model: 'options', tables: ['options'], take, compare }
}
