import type { Position } from '@tollgate/domain/event.ts'
import type { PriceChange } from '@tollgate/domain/settings/events.ts'
import {
  defaultOf,
  isPlanned,
  isRevision,
  optionChangesIn,
  type OptionText,
  priceDifference,
} from '@tollgate/domain/settings/price-changes.ts'
import { keyText } from '../runner/columns.ts'
import { insertRows } from '../runner/insert-rows.ts'
import type { ModelTables } from '../runner/model-tables.ts'
import type { Recorded } from '../runner/projected-events.ts'
import type { Projector } from '../runner/projector.ts'

/**
 * `revision` is the position of the revision's event, as charges name it; −1 = the defaults. `usage` counts the charges
 * that were priced by each. `entries` are what a revision changes, one model or group each, null = no entry.
 */
const tables = `
  create table revisions (
    revision bigint primary key,
    number bigint not null,
    at bigint not null,
    effective_at bigint not null,
    in_force_at bigint,
    in_force_position bigint,
    withdrawn_at bigint,
    withdrawn_by text,
    actor text not null,
    note text
  );
  create table entries (
    revision bigint not null,
    key text collate "C" not null,
    name text collate "C" not null,
    old_value text,
    new_value text,
    primary key (revision, key, name)
  );
  create table usage (
    revision bigint primary key,
    charges bigint not null,
    quota bigint not null
  )`

const indexes = `
  create index on revisions (number);
  create index on revisions (in_force_position);
  create index on entries (name, key)`

const comparison = `
  select 'revision ' || revision as key, jsonb_build_object('number', number, 'in_force_at', in_force_at) as figures
  from {revisions}
  union all
  select 'usage of ' || revision, jsonb_build_object('charges', charges, 'quota', quota) from {usage}`

const eventTypes = [
  'OptionChanged',
  'PriceBookRevised',
  'PriceRevisionTookEffect',
  'PriceRevisionWithdrawn',
  'UsageCharged',
] as const

type PriceRecord = Recorded<
  Extract<Parameters<typeof prices.handle>[0][number], { type: (typeof eventTypes)[number] }>
>

/** Every revision of prices, what it changed, and how much was charged by it. */
export const prices: Projector<(typeof eventTypes)[number]> = {
  name: 'prices',
  version: 1,
  streamPrefixes: ['settings', 'account-'],
  eventTypes,
  tables,
  indexes,
  comparison,
  async handle(batch, tx) {
    const usage = new Map<Position, { charges: number; quota: number }>()
    for (const event of batch) {
      if (event.type === 'UsageCharged') {
        const { amount, request } = event.data
        const revision = request.price.bookRevision
        const sums = usage.get(revision) ?? { charges: 0, quota: 0 }
        usage.set(revision, { charges: sums.charges + 1, quota: sums.quota + amount })
      } else await takePrices(event, tx)
    }
    if (usage.size === 0) return
    const rows = [...usage].map(([revision, sums]) => ({ revision, ...sums }))
    await tx.query(
      `insert into {usage} as known (revision, charges, quota)
       select * from unnest($1::bigint[], $2::bigint[], $3::bigint[])
       on conflict (revision) do update
       set charges = known.charges + excluded.charges, quota = known.quota + excluded.quota`,
      [
        rows.map(({ revision }) => revision),
        rows.map(({ charges }) => charges),
        rows.map(({ quota }) => quota),
      ],
    )
  },
}

async function takePrices(
  event: Exclude<PriceRecord, { type: 'UsageCharged' }>,
  tx: ModelTables,
): Promise<void> {
  const { position } = event
  const { actor } = event.metadata
  const { at } = event.data
  if (isRevision(event)) {
    const isNow = event.type !== 'PriceBookRevised' || !isPlanned(event.data)
    const row = {
      revision: position,
      number: event.type === 'PriceBookRevised' ? event.data.number : (await newest(tx)) + 1,
      at,
      effective_at: event.type === 'PriceBookRevised' ? event.data.effectiveAt : at,
      in_force_at: isNow ? at : null,
      in_force_position: isNow ? position : null,
      withdrawn_at: null,
      withdrawn_by: null,
      actor,
      note: event.type === 'PriceBookRevised' ? event.data.note : null,
    }
    await insertRows(tx, 'revisions', REVISION_COLUMNS, [row])
    const changes = event.type === 'PriceBookRevised' ? event.data.changes : optionChangesIn(event)
    await addEntries(tx, position, changes)
  } else if (event.type === 'PriceRevisionTookEffect') {
    const [row] = await tx.query<{ revision: Position }>(
      `update {revisions} set in_force_at = effective_at, in_force_position = $2
       where number = $1 returning revision`,
      [event.data.number, position],
    )
    if (row === undefined) return
    await tx.query('delete from {entries} where revision = $1', [row.revision])
    await addEntries(tx, row.revision, event.data.changes)
  } else if (event.type === 'PriceRevisionWithdrawn') {
    await tx.query(
      'update {revisions} set withdrawn_at = $2, withdrawn_by = $3 where number = $1',
      [event.data.number, at, actor],
    )
  }
}

async function newest(tx: ModelTables): Promise<number> {
  const [row] = await tx.query<{ newest: number }>(
    'select coalesce(max(number), 0) as newest from {revisions}',
  )
  return row?.newest ?? 0
}

async function addEntries(
  tx: ModelTables,
  revision: Position,
  changes: readonly (OptionText | PriceChange)[],
): Promise<void> {
  const rows = changes.flatMap(({ key, value, previous }) =>
    priceDifference(key, previous ?? defaultOf(key), value ?? '').map(({ name, from, to }) => ({
      revision,
      key,
      name: keyText(name),
      old_value: from,
      new_value: to,
    })),
  )
  const once = new Map(rows.map((row) => [`${row.key} ${row.name}`, row]))
  await insertRows(tx, 'entries', ENTRY_COLUMNS, [...once.values()])
}

const REVISION_COLUMNS = {
  revision: 'bigint',
  number: 'bigint',
  at: 'bigint',
  effective_at: 'bigint',
  in_force_at: 'bigint',
  in_force_position: 'bigint',
  withdrawn_at: 'bigint',
  withdrawn_by: 'text',
  actor: 'text',
  note: 'text',
} as const
const ENTRY_COLUMNS = {
  revision: 'bigint',
  key: 'text',
  name: 'text',
  old_value: 'text',
  new_value: 'text',
} as const
