import type { Difference } from '@tollgate/projections/audit/differences.ts'
import type { ReconcileReport } from '@tollgate/projections/audit/reconcile.ts'

/** The findings of a comparison of the read models with the ledger, for people. */
export function formatReconciled({ models, events, differences, first }: ReconcileReport): string {
  const lines = models.map(({ name, position, rows, differences: count, note }) =>
    line([
      name,
      position === null ? '-' : String(position),
      String(rows),
      position === null ? '-' : String(count),
      note ?? '',
    ]),
  )
  const table = [line(['read model', 'up to', 'rows', 'differences', '']), ...lines]
  const left = models.filter(({ position }) => position === null).length
  const verdict =
    differences === 0
      ? `Every figure compared is what the ledger says (${events} events).`
      : `${differences} figures are not what the ledger says (${events} events). To mend: npm run projections -- rebuild <name>`
  const notAll = left === 0 ? [] : [`${left} read models were not compared.`]
  return [...table, '', ...formatFirst(first, differences), verdict, ...notAll].join('\n')
}

const line = ([name, position, rows, count, note]: readonly [
  string,
  string,
  string,
  string,
  string,
]): string =>
  [name.padEnd(12), position.padStart(14), rows.padStart(12), count.padStart(13), `  ${note}`]
    .join('')
    .trimEnd()

function formatFirst(first: readonly Difference[], total: number): readonly string[] {
  if (first.length === 0) return []
  const more = total > first.length ? [`... and ${total - first.length} more`] : []
  return [...first.map(formatDifference), ...more, '']
}

const formatDifference = ({ model, table, key, column, ledger, found }: Difference): string =>
  `${model} ${table}: ${key}: ${column}: the ledger says ${JSON.stringify(ledger)}, the table ${JSON.stringify(found)}`
