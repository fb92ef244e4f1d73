import { countedRows, daysOfHours, newestOfHours, sumsOfHours } from '../usage-log/sums.ts'
import { compareCounts, differingSql } from './counts.ts'
import { type Comparison, WHOLE_ROW } from './expected-model.ts'

/**
 * The usage log's counts are made from its rows: where the rows are right, the counts must be what they add up
 * to. PostgreSQL compares them, and only what differs comes here.
 */
export async function compareUsageCounts(comparison: Comparison): Promise<void> {
  await compareCounts(comparison, 'days', DAYS)
  await compareCounts(comparison, 'newest', NEWEST)
  await compareCounts(comparison, 'sums', SUMS)
}

/** Every price that a row names must be there, as it was when it got its key; key 0 is that of rows without a price. */
export async function comparePrices(comparison: Comparison): Promise<void> {
  type Missing = { readonly price_key: number; readonly rows: number }
  for await (const { price_key: key, rows } of comparison.rows<Missing>(MISSING_PRICES)) {
    comparison.differs({
      table: 'prices',
      key: `price ${key} of ${rows} rows`,
      column: WHOLE_ROW,
      ledger: 'there',
      found: 'none',
    })
  }
  type Changed = { readonly price_key: number; readonly price: string }
  for await (const { price_key: key, price } of comparison.rows<Changed>(CHANGED_PRICES)) {
    comparison.differs({
      table: 'prices',
      key: `price ${key}`,
      column: 'price',
      ledger: 'the price that the key is made of',
      found: price,
    })
  }
}

/**
 * Every model that a row names must be in the list of models, and nothing that no event names: `isNamed` says whether
 * one does, as rows may have been cleared since.
 */
export async function compareModels(
  comparison: Comparison,
  isNamed: (model: string) => boolean,
): Promise<void> {
  const sql = `select coalesce(m.model, r.model) as model, m.model is not null as listed, r.model is not null as used
    from usage_log.models m full join (select distinct model from usage_log.rows) r on r.model = m.model
    where m.model is null or r.model is null`
  type Model = { readonly model: string; readonly listed: boolean; readonly used: boolean }
  for await (const { model, listed } of comparison.rows<Model>(sql)) {
    if (!listed)
      comparison.differs({
        table: 'models',
        key: `model ${model}`,
        column: WHOLE_ROW,
        ledger: 'there',
        found: 'none',
      })
    else if (!isNamed(model)) {
      comparison.differs({
        table: 'models',
        key: `model ${model}`,
        column: WHOLE_ROW,
        ledger: 'none',
        found: 'there',
      })
    }
  }
}

const FIGURES = ['count', 'quota', 'tokens', 'suppressed'] as const

const ROWS = countedRows('usage_log.rows')
const DAYS = differingSql(
  'usage_log.days',
  ['day', 'type', 'user_id', 'token_id', 'channel', 'model', 'group_name'],
  daysOfHours(ROWS),
  [...FIGURES, 'last_created_at', 'last_id'],
)
const NEWEST = differingSql(
  'usage_log.newest',
  ['user_id', 'token_id', 'channel', 'model', 'group_name', 'type'],
  newestOfHours(ROWS),
  ['last_created_at', 'last_id'],
)
const SUMS = differingSql(
  'usage_log.sums',
  ['counted_by', 'hour', 'type', 'channel', 'model', 'group_name'],
  sumsOfHours(ROWS),
  FIGURES,
)
const MISSING_PRICES = `select price_key, count(*) as rows from usage_log.rows
  where not exists (select from usage_log.prices p where p.price_key = rows.price_key) group by 1`

/** A price's key is the beginning of the SHA-256 of its text (usage-log/row.ts). */
const CHANGED_PRICES = `select price_key, price from usage_log.prices where price_key <>
  case when price = '' then 0
  else ('x' || lpad(left(encode(sha256(convert_to(price, 'UTF8')), 'hex'), 13), 16, '0'))::bit(64)::bigint end`
