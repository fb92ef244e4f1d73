import { type Position, SETTINGS_STREAM } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { completionTokens, promptTokens } from '@tollgate/domain/pricing/usage.ts'
import { storableText } from '@tollgate/domain/text.ts'
import { monthOf } from '../runner/months.ts'
import type { Recorded } from '../runner/projected-events.ts'
import { type LoggedEvent, loggedEventTypes, type LogRow, rowOf } from '../usage-log/row.ts'
import { DEFAULTS, withOption } from '../usage-log/settings.ts'
import { addChecksum, checksumOf, checksumSql } from './checksum.ts'
import { ComparisonDisturbed } from './disturbed.ts'
import { type Comparison, compareTable, type Reckoning } from './reckoning.ts'
import { comparePrices, compareUsageCounts } from './usage-counts.ts'

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
  for await (const event of store.readStream(SETTINGS_STREAM)) {
    if (event.position > upTo) break
    if (event.type !== 'LogsCleared') continue
    const { before } = event.data as Extract<Recorded, { type: 'LogsCleared' }>['data']
    clearings.push({ position: event.position, before: Math.ceil(before / 1000) })
  }
  return clearings
}

interface Sums {
  rows: number
  quota: number
  prompt_tokens: number
  completion_tokens: number
  checksum: number
}

/**
 * Rows of the usage log, by user, month and type: how many, their quota and tokens straight from the events, and a
 * checksum over all their columns as the log's own row function makes them.
 */
export function reckonUsageLog(clearings: readonly Clearing[]): Reckoning {
  const expected = new Map<string, Sums>()
  const options = new Map<string, { value: string }>()
  let settings = DEFAULTS
  const latest = latestFrom(clearings)
  let cleared = 0

  function take(event: Recorded): void {
    if (event.type === 'OptionChanged') {
      const { key, value } = event.data
      const changed = withOption(settings, key, value ?? '')
      if (changed !== settings) options.set(`option ${key}`, { value: storableText(value ?? '') })
      settings = changed
    } else if (event.type === 'LogsCleared') {
      if (clearings[cleared]?.position !== event.position) {
        throw new ComparisonDisturbed('the usage log was cleared meanwhile')
      }
      cleared += 1
    } else if (isLogged(event)) {
      const row = rowOf(event, settings)
      if (row !== null && !isClearedLater(row)) add(row, event)
    }
  }

  const isClearedLater = (row: LogRow): boolean => row.created_at < (latest[cleared] ?? -Infinity)

  function add(row: LogRow, event: LoggedEvent): void {
    const key = keyOf({ user_id: row.user_id, month: monthName(row), type: row.type })
    const sums = expected.get(key) ?? noSums()
    expected.set(key, sums)
    const { quota, prompt, completion } = figuresOf(event)
    sums.rows += 1
    sums.quota += quota
    sums.prompt_tokens += prompt
    sums.completion_tokens += completion
    sums.checksum = addChecksum(
      sums.checksum,
      checksumOf(ROW_COLUMNS.map((column) => textOf(row[column]))),
    )
  }

  async function compare(comparison: Comparison): Promise<void> {
    const areRowsRight = await compareTable(
      comparison,
      'rows',
      comparison.rows<
        Group & { rows: number }
      >(`select user_id, to_char(to_timestamp(created_at) at time zone 'UTC', 'YYYY_MM') as month, type,
         count(*) as rows, sum(quota)::bigint as quota, sum(prompt_tokens)::bigint as prompt_tokens,
         sum(completion_tokens)::bigint as completion_tokens,
         ${checksumSql(ROW_COLUMNS.map((column) => (column === 'is_stream' ? 'is_stream::int' : column)))} as checksum
       from usage_log.rows group by 1, 2, 3`),
      new Map([...expected].map(([key, sums]) => [key, { ...sums }])),
      (row) => {
        comparison.looked(row.rows - 1)
        return keyOf(row)
      },
    )
    await compareTable(
      comparison,
      'settings',
      comparison.rows<{ key: string }>('select * from usage_log.settings'),
      new Map(options),
      (row) => `option ${row.key}`,
    )
    await comparePrices(comparison)
    // Counts are checked against the rows, so wrong rows would only blame them.
    if (areRowsRight) await compareUsageCounts(comparison)
  }

  return {
    model: 'usage-log',
    tables: ['rows', 'hours', 'totals', 'prices', 'settings'],
    take,
    compare,
  }
}

/** For each clearing the latest moment before which it or a later one clears. */
const latestFrom = (clearings: readonly Clearing[]): readonly number[] => {
  const latest = clearings.map(({ before }) => before)
  for (let index = latest.length - 2; index >= 0; index -= 1) {
    latest[index] = Math.max(latest[index] ?? 0, latest[index + 1] ?? 0)
  }
  return latest
}

const noSums = (): Sums => ({
  rows: 0,
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  checksum: 0,
})

const loggedTypes: ReadonlySet<string> = new Set(loggedEventTypes)
const isLogged = (event: Recorded): event is LoggedEvent => loggedTypes.has(event.type)

interface Group {
  readonly user_id: number
  readonly month: string
  readonly type: number
}

const keyOf = ({ user_id: user, month, type }: Group): string =>
  `user ${user}, ${month.replace('_', '-')}, type ${type}`
const monthName = (row: LogRow): string => monthOf(row.created_at * 1000).name

/** What an event spends, by the event alone. */
function figuresOf(event: LoggedEvent): { quota: number; prompt: number; completion: number } {
  if (event.type === 'UsageCharged') {
    const { amount, request } = event.data
    const { usage } = request
    return { quota: amount, prompt: promptTokens(usage), completion: completionTokens(usage) }
  }
  if (event.type === 'ChannelTested') {
    const { promptTokens: prompt, completionTokens: completion } = event.data
    return { quota: 0, prompt: prompt ?? 0, completion: completion ?? 0 }
  }
  return { quota: 0, prompt: 0, completion: 0 }
}

const ROW_COLUMNS = [
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

const textOf = (value: string | number | boolean): string | number =>
  typeof value === 'boolean' ? Number(value) : value
