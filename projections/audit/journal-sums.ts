import { POSTED_CHANGE } from '../journal/sums.ts'
import { type Comparison, type Figure, WHOLE_ROW } from './expected-model.ts'

/**
 * The journal's sums are made from its postings: where those are right, the sums must be what they add up to. PostgreSQL
 * compares them, and only what differs comes here.
 */
export async function compareJournalSums(comparison: Comparison): Promise<void> {
  for (const { table, keys, figures, expected } of SUMS) {
    const columns = figures.flatMap((name) => [
      `l.${name} as ledger_${name}`,
      `t.${name} as found_${name}`,
    ])
    const differs = figures.map((name) => `l.${name} is distinct from t.${name}`)
    const key = keys.map((name) => `'${name} ' || ${name}`).join(` || ', ' || `)
    const sql = `select ${key} as key, ${columns.join(', ')}
      from (${expected}) l full join journal.${table} t using (${keys.join(', ')})
      where ${differs.join(' or ')}`
    for await (const row of comparison.rows<Differing>(sql)) note(comparison, table, row, figures)
  }
}

type Differing = { readonly key: string } & Readonly<Record<string, string | number | null>>

function note(
  comparison: Comparison,
  table: string,
  row: Differing,
  figures: readonly string[],
): void {
  const pairs = figures.map((name): readonly [string, Figure, Figure] => [
    name,
    row[`ledger_${name}`] ?? null,
    row[`found_${name}`] ?? null,
  ])
  if (pairs.every(([, ledger]) => ledger === null)) {
    comparison.differs({ table, key: row.key, column: WHOLE_ROW, ledger: 'none', found: 'there' })
  } else if (pairs.every(([, , found]) => found === null)) {
    comparison.differs({ table, key: row.key, column: WHOLE_ROW, ledger: 'there', found: 'none' })
  } else {
    for (const [name, ledger, found] of pairs) {
      if (ledger !== found) comparison.differs({ table, key: row.key, column: name, ledger, found })
    }
  }
}

/** The beginning of the UTC hour or day of a posting, also before 1970. */
const beginning = (ms: number): string => `effective_at - ((effective_at % ${ms}) + ${ms}) % ${ms}`
const HOUR = beginning(3_600_000)
const DAY = beginning(86_400_000)
const ENTRY_COLUMNS = `select user_id, ${DAY} as day, from_account as account, amount as debits, 0 as credits
    from journal.postings
  union all select user_id, ${DAY}, to_account, 0, amount from journal.postings`
const BOTH = `sum(debits)::bigint as debits, sum(credits)::bigint as credits`

/** Changes of the posted balance of users, by `since`. */
const changesBy = (since: string): string =>
  `select user_id, ${since}, source, token_id, model, sum(${POSTED_CHANGE.sql})::bigint as change,
    count(distinct position) as events, min(position) as first_position, max(position) as last_position
  from journal.postings where ${POSTED_CHANGE.sql} <> 0 group by 1, 2, 3, 4, 5`
const CHANGE_FIGURES = ['change', 'events', 'first_position', 'last_position'] as const

const SUMS = [
  {
    table: 'hours',
    keys: ['user_id', 'hour', 'source', 'token_id', 'model'],
    figures: CHANGE_FIGURES,
    expected: changesBy(`${HOUR} as hour`),
  },
  {
    table: 'source_days',
    keys: ['user_id', 'day', 'source', 'token_id', 'model'],
    figures: CHANGE_FIGURES,
    expected: changesBy(`${DAY} as day`),
  },
  {
    table: 'days',
    keys: ['user_id', 'day', 'account'],
    figures: ['debits', 'credits'],
    expected: `select user_id, day, account, ${BOTH} from (${ENTRY_COLUMNS}) s group by 1, 2, 3`,
  },
  {
    table: 'totals',
    keys: ['day', 'account'],
    figures: ['debits', 'credits'],
    expected: `select day, account, ${BOTH} from (${ENTRY_COLUMNS}) s group by 1, 2`,
  },
] as const
