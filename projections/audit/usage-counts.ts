import { type Comparison, type Figure, WHOLE_ROW } from './reckoning.ts'

/**
 * The usage log's counts by hour are made from its rows: where the rows are right, the counts must be what they add up
 * to. PostgreSQL compares them, and only what differs comes here.
 */
export async function compareUsageCounts(comparison: Comparison): Promise<void> {
  await compareCounts(comparison, 'hours', HOURS)
  await compareCounts(comparison, 'totals', TOTALS)
}

/** Every price that a row names must be there, as it was when it got its key. */
export async function comparePrices(comparison: Comparison): Promise<void> {
  type Missing = { readonly price_key: number; readonly rows: number }
  for await (const { price_key: key, rows } of comparison.rows<Missing>(MISSING_PRICES)) {
    comparison.differs('prices', `price ${key} of ${rows} rows`, WHOLE_ROW, 'there', 'none')
  }
  type Changed = { readonly price_key: number; readonly price: string }
  for await (const { price_key: key, price } of comparison.rows<Changed>(CHANGED_PRICES)) {
    comparison.differs(
      'prices',
      `price ${key}`,
      'price',
      'the price that the key is made of',
      price,
    )
  }
}

const COUNTS = ['count', 'quota', 'tokens'] as const

const HOURS = differingSql(
  'hours',
  ['hour', 'type', 'user_id', 'token_id', 'channel', 'model', 'group_name'],
  `select created_at - created_at % 3600 as hour, type, user_id, token_id, channel, model, group_name,
     count(*) as count, sum(quota)::bigint as quota, sum(prompt_tokens + completion_tokens)::bigint as tokens
   from usage_log.rows group by 1, 2, 3, 4, 5, 6, 7`,
)
const TOTALS = differingSql(
  'totals',
  ['hour', 'type', 'user_id'],
  `select created_at - created_at % 3600 as hour, type, user_id, count(*) as count, sum(quota)::bigint as quota,
     sum(prompt_tokens + completion_tokens)::bigint as tokens
   from usage_log.rows group by 1, 2, 3`,
)
const MISSING_PRICES = `select price_key, count(*) as rows from usage_log.rows
  where not exists (select from usage_log.prices p where p.price_key = rows.price_key) group by 1`

/** A price's key is the beginning of the SHA-256 of its text (usage-log/row.ts). */
const CHANGED_PRICES = `select price_key, price from usage_log.prices where price_key <> 0 and price_key <>
  ('x' || lpad(left(encode(sha256(convert_to(price, 'UTF8')), 'hex'), 13), 16, '0'))::bit(64)::bigint`

function differingSql(table: string, keys: readonly string[], reckoned: string): string {
  const columns = COUNTS.map((name) => `l.${name} as ledger_${name}, t.${name} as found_${name}`)
  const differs = COUNTS.map((name) => `l.${name} is distinct from t.${name}`)
  const key = keys.map((name) => `'${name} ' || ${name}`).join(` || ', ' || `)
  return `select ${key} as key, ${columns.join(', ')}
    from (${reckoned}) l full join usage_log.${table} t using (${keys.join(', ')})
    where ${differs.join(' or ')}`
}

type DifferingCounts = { readonly key: string } & Readonly<
  Record<`ledger_${(typeof COUNTS)[number]}` | `found_${(typeof COUNTS)[number]}`, number | null>
>

async function compareCounts(comparison: Comparison, table: string, sql: string): Promise<void> {
  for await (const row of comparison.rows<DifferingCounts>(sql)) {
    if (row.ledger_count === null || row.found_count === null) {
      const [ledger, found]: [Figure, Figure] =
        row.ledger_count === null ? ['none', 'there'] : ['there', 'none']
      comparison.differs(table, row.key, WHOLE_ROW, ledger, found)
      continue
    }
    for (const name of COUNTS) {
      const [ledger, found] = [row[`ledger_${name}`], row[`found_${name}`]]
      if (ledger !== found) comparison.differs(table, row.key, name, ledger, found)
    }
  }
}
