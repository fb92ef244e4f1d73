import type { ReportedRow, TrialBalanceReport } from '@tollgate/command-api/audit/trial-balance.ts'

/** A trial balance as a table for people. */
export function formatTrialBalance({ position, at, rows, total }: TrialBalanceReport): string {
  const lines: Cells[] = [
    ['ledger account', 'debits', 'credits', 'balance'],
    ...rows.map(cellsOf),
    ['total', grouped(total.debits), grouped(total.credits), grouped(total.balance)],
  ]
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...lines.map((cells) => cells[column]?.length ?? 0)),
  )
  const table = lines.map((cells) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  )
  const moment = at === null ? '' : `, events before ${at}`
  const verdict =
    total.balance === '0' ? 'Debits equal credits.' : 'Debits and credits are not equal.'
  return [...table, '', `In quota, up to position ${position}${moment}. ${verdict}`].join('\n')
}

type Cells = readonly [string, string, string, string]

const cellsOf = ({ account, accounts, debits, credits, balance }: ReportedRow): Cells => [
  accounts > 1 ? `${account} (${accounts} accounts)` : account,
  grouped(debits),
  grouped(credits),
  grouped(balance),
]

/** `-1234567` → `-1,234,567`. */
const grouped = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ',')
