import type { Position } from '@tollgate/domain/event.ts'
import type { PriceChange } from '@tollgate/domain/settings/events.ts'
import { isPlanned, isRevision, optionChangesIn } from '@tollgate/domain/settings/price-changes.ts'
import { z } from 'zod'
import { insertRows, upsertRows } from '../runner/insert-rows.ts'
import type { ModelTables } from '../runner/model-tables.ts'
import type { Projector } from '../runner/projector.ts'

/**
 * `value` is null for a secret, whose text is in `secrets.options`. `price_book` has one row: the position of the revision
 * in force. `changes` of a planned revision is the JSON of its event.
 */
const tables = `
  create table options (
    key text primary key,
    value text,
    position bigint not null,
    changed_at bigint not null
  );
  create table price_book (revision bigint not null);
  create table planned_prices (
    number bigint primary key,
    revision bigint not null,
    effective_at bigint not null,
    changes text not null
  )`

const comparison = `
  select key, jsonb_build_object('value', value, 'changed_at', changed_at) as figures from {options}`

const eventTypes = [
  'OptionChanged',
  'PriceBookRevised',
  'PriceRevisionTookEffect',
  'PriceRevisionWithdrawn',
] as const

/** A row of `options.planned_prices`. */
export const plannedRow = z.object({
  number: z.number(),
  revision: z.number(),
  effective_at: z.number(),
  changes: z.string(),
})
export type PlannedRow = Readonly<z.output<typeof plannedRow>>

/** Every option that was ever changed, as it stands, and the position of its last change; prices that are planned. */
export const options: Projector<(typeof eventTypes)[number]> = {
  name: 'options',
  // 2: revision of prices in force, planned prices.
  version: 2,
  streamPrefixes: ['settings'],
  eventTypes,
  tables,
  indexes: '',
  comparison,
  async handle(batch, tx) {
    const texts = batch.flatMap((event) =>
      optionChangesIn(event).map(({ key, value }) => ({
        key,
        value,
        position: event.position,
        changed_at: event.data.at,
      })),
    )
    const latest = new Map(texts.map((row) => [row.key, row]))
    const rows = [...latest.values()]
    await upsertRows(
      tx,
      'options',
      { columns: OPTION_COLUMNS, key: 'key', changing: OPTION_FIGURES },
      rows,
    )
    const before = await loadPrices(tx)
    const after = batch.reduce(follow, before)
    if (after.revision !== before.revision) {
      await tx.query('delete from {price_book}')
      await tx.query('insert into {price_book} (revision) values ($1)', [after.revision])
    }
    if (after.planned !== before.planned) {
      await tx.query('delete from {planned_prices}')
      await insertRows(tx, 'planned_prices', PLANNED_COLUMNS, after.planned)
    }
  },
}

interface Prices {
  readonly revision: Position
  readonly planned: readonly PlannedRow[]
}

async function loadPrices(tx: ModelTables): Promise<Prices> {
  const [book] = await tx.query<{ revision: Position }>('select revision from {price_book}')
  const planned = await tx.query<PlannedRow>('select * from {planned_prices}')
  return { revision: book?.revision ?? -1, planned }
}

function follow(prices: Prices, event: Parameters<typeof options.handle>[0][number]): Prices {
  if (event.type === 'PriceBookRevised' && isPlanned(event.data)) {
    const { number, effectiveAt, changes } = event.data
    const row = { number, revision: event.position, effective_at: effectiveAt }
    return { ...prices, planned: [...prices.planned, { ...row, changes: textOf(changes) }] }
  }
  if (isRevision(event)) return { ...prices, revision: event.position }
  if (event.type !== 'PriceRevisionTookEffect' && event.type !== 'PriceRevisionWithdrawn') {
    return prices
  }
  const { number } = event.data
  const found = prices.planned.find((one) => one.number === number)
  const planned = prices.planned.filter((one) => one.number !== number)
  const isInForce = event.type === 'PriceRevisionTookEffect'
  return { revision: isInForce ? (found?.revision ?? prices.revision) : prices.revision, planned }
}

const textOf = (changes: readonly PriceChange[]): string => JSON.stringify(changes)

const OPTION_FIGURES = ['value', 'position', 'changed_at'] as const
const OPTION_COLUMNS = {
  key: 'text',
  value: 'text',
  position: 'bigint',
  changed_at: 'bigint',
} as const
const PLANNED_COLUMNS = {
  number: 'bigint',
  revision: 'bigint',
  effective_at: 'bigint',
  changes: 'text',
} as const
