import { upsertRows } from '../runner/insert-rows.ts'
import type { Projector } from '../runner/projector.ts'

/** `value` is null for a secret, whose text is in `secrets.options`. */
const tables = `
  create table options (
    key text primary key,
    value text,
    position bigint not null,
    changed_at bigint not null
  )`

const comparison = `
  select key, jsonb_build_object('value', value, 'changed_at', changed_at) as figures from {options}`

const eventTypes = ['OptionChanged'] as const

/** Every option that was ever changed, as it stands, and the position of its last change. */
export const options: Projector<(typeof eventTypes)[number]> = {
  name: 'options',
  version: 1,
  streamPrefixes: ['settings'],
  eventTypes,
  tables,
  indexes: '',
  comparison,
  async handle(batch, tx) {
    const latest = new Map(batch.map((event) => [event.data.key, event]))
    const rows = [...latest].map(([key, { data, position }]) => ({
      key,
      value: data.value,
      position,
      changed_at: data.at,
    }))
    await upsertRows(
      tx,
      'options',
      OPTION_COLUMNS,
      { key: 'key', changing: ['value', 'position', 'changed_at'] },
      rows,
    )
  },
}

const OPTION_COLUMNS = {
  key: 'text',
  value: 'text',
  position: 'bigint',
  changed_at: 'bigint',
} as const
