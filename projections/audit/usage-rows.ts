import { accountStream, type Position, SETTINGS_STREAM } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { optionChangesIn } from '@tollgate/domain/settings/price-changes.ts'
import { storableText } from '@tollgate/domain/text.ts'
import { monthOf } from '../runner/months.ts'
import { isProjectedType, type Recorded } from '../runner/projected-events.ts'
import {
  CHANNEL_TEST,
  FAILURE,
  type LoggedEvent,
  loggedEventTypes,
  type LogRow,
  rowOf,
} from '../usage-log/row.ts'
import { changesOptions, DEFAULTS, withOption } from '../usage-log/settings.ts'
import { ComparisonDisturbed } from './disturbed.ts'
import { ownEvents } from './own-events.ts'
import { type Comparison, type Figure, WHOLE_ROW } from './expected-model.ts'

/** Rows dated before a moment (unix seconds) went when the log had come to a position. */
export interface Clearing {
  readonly position: Position
  readonly before: number
}

/**
 * All clearings up to where the read model stands, in order: what a later one removes, the walk must not count when it
 * comes by. One that comes while the walk goes on disturbs the comparison.
 */
export async function readClearings(
  store: Pick<EventStore, 'readStream'>,
  upTo: Position,
): Promise<readonly Clearing[]> {
  const clearings: Clearing[] = []
  for await (const event of ownEvents(store, SETTINGS_STREAM)) {
    if (event.position > upTo) break
    if (event.type !== 'LogsCleared') continue
    const { before } = event.data as Extract<Recorded, { type: 'LogsCleared' }>['data']
    clearings.push({ position: event.position, before: Math.ceil(before / 1000) })
  }
  return clearings
}

/** Given the events in log order, answers the row that one leaves in the end: none when a clearing takes it away. */
export type RowMaker = (event: Recorded) => LogRow | null

export function openRowMaker(clearings: readonly Clearing[]): RowMaker {
  const latest = latestFrom(clearings)
  let settings = DEFAULTS
  let cleared = 0
  return (event) => {
    if (changesOptions(event)) {
      settings = optionChangesIn(event).reduce(
        (so, { key, value }) => withOption(so, key, value ?? ''),
        settings,
      )
    } else if (event.type === 'LogsCleared') {
      if (clearings[cleared]?.position !== event.position) {
        throw new ComparisonDisturbed('the usage log was cleared meanwhile')
      }
      cleared += 1
    } else if (isLogged(event)) {
      const row = rowOf(event, settings)
      return row !== null && row.created_at >= (latest[cleared] ?? -Infinity) ? row : null
    }
    return null
  }
}

const loggedTypes: ReadonlySet<string> = new Set(loggedEventTypes)
export const isLogged = (event: Recorded): event is LoggedEvent => loggedTypes.has(event.type)

/** For each clearing the latest moment before which it or a later one clears. */
function latestFrom(clearings: readonly Clearing[]): readonly number[] {
  const latest = clearings.map(({ before }) => before)
  for (let index = latest.length - 2; index >= 0; index -= 1) {
    latest[index] = Math.max(latest[index] ?? 0, latest[index + 1] ?? 0)
  }
  return latest
}

/** Columns of `usage_log.rows`. */
export const ROW_COLUMNS = [
  'id',
  'event_id',
  'created_at',
  'type',
  'user_id',
  'token_id',
  'channel',
  'model',
  'group_name',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'use_time',
  'is_stream',
  'request_id',
  'price_key',
  'content',
  'detail',
] as const satisfies readonly (keyof LogRow)[]

/** The key that rows are summed by. `month` as `2026_11`. */
export interface Group {
  readonly user_id: number
  readonly month: string
  readonly type: number
}

export const groupOf = (row: LogRow): Group => ({
  user_id: row.user_id,
  month: monthOf(row.created_at * 1000).name,
  type: row.type,
})

/** Where a group's rows are to be found again: in the user's own stream, the settings known. */
export interface RowSource {
  readonly store: Pick<EventStore, 'readStream'>
  readonly clearings: readonly Clearing[]
  /** Where the read model stands. */
  readonly upTo: Position
}

/**
 * Compares the rows of one group one by one with the user's stream. Failed requests and channel tests are in other
 * streams and left aside.
 */
export async function compareUsageRows(
  comparison: Comparison,
  source: RowSource,
  group: Group,
): Promise<void> {
  if (group.type === FAILURE || group.user_id === 0) return
  const expected = expectedRows(source, group)
  let wanted = await expected.next()
  for await (const found of comparison.rows<LogRow>(rowsSql(group))) {
    while (wanted.done !== true && wanted.value.id < found.id) {
      comparison.differs({
        table: 'rows',
        key: keyOf(wanted.value),
        column: WHOLE_ROW,
        ledger: 'there',
        found: 'none',
      })
      wanted = await expected.next()
    }
    if (wanted.done === true || found.id < wanted.value.id) {
      comparison.differs({
        table: 'rows',
        key: keyOf(found),
        column: WHOLE_ROW,
        ledger: 'none',
        found: 'there',
      })
      continue
    }
    for (const column of ROW_COLUMNS) {
      const [ledger, there]: [Figure, Figure] = [asStored(wanted.value[column]), found[column]]
      if (ledger !== there)
        comparison.differs({ table: 'rows', key: keyOf(found), column, ledger, found: there })
    }
    wanted = await expected.next()
  }
  for (; wanted.done !== true; wanted = await expected.next()) {
    comparison.differs({
      table: 'rows',
      key: keyOf(wanted.value),
      column: WHOLE_ROW,
      ledger: 'there',
      found: 'none',
    })
  }
}

function rowsSql({ user_id: user, month, type }: Group): string {
  const [year, number] = month.split('_').map(Number)
  const { from, to } = monthOf(Date.UTC(year ?? 0, (number ?? 1) - 1))
  return `select ${ROW_COLUMNS.join(', ')} from usage_log.rows
    where user_id = ${user} and type = ${type} and created_at >= ${from / 1000} and created_at < ${to / 1000}
      and not (token_id = 0 and quota = 0 and content = '${CHANNEL_TEST}')
    order by id`
}

async function* expectedRows(
  { store, clearings, upTo }: RowSource,
  { user_id: user, month, type }: Group,
): AsyncGenerator<LogRow, void, undefined> {
  const make = openRowMaker(clearings)
  const settings: Recorded[] = []
  for await (const event of ownEvents(store, SETTINGS_STREAM)) {
    if (event.position > upTo) break
    if (isProjectedType(event.type)) settings.push(event as Recorded)
  }
  for await (const event of ownEvents(store, accountStream(user))) {
    if (event.position > upTo) return
    while ((settings[0]?.position ?? Infinity) < event.position) {
      const changed = settings.shift()
      if (changed !== undefined) make(changed)
    }
    const row = isProjectedType(event.type) ? make(event as Recorded) : null
    if (row !== null && row.type === type && groupOf(row).month === month) yield row
  }
}

const asStored = (figure: Figure): Figure =>
  typeof figure === 'string' ? storableText(figure) : figure
const keyOf = ({ id }: LogRow): string => `id ${id}`
