import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { completionTokens, promptTokens } from '@tollgate/domain/pricing/usage.ts'
import { type OptionText, optionChangesIn } from '@tollgate/domain/settings/price-changes.ts'
import { storableText } from '@tollgate/domain/text.ts'
import type { Recorded } from '../runner/projected-events.ts'
import { eventOfTest, LOGGED_TESTS, type LoggedTest } from '../usage-log/channel-tests.ts'
import { type LoggedEvent, type LogRow, rowOf } from '../usage-log/row.ts'
import { changesOptions, DEFAULTS, withOption } from '../usage-log/settings.ts'
import { addChecksum, checksumOf, checksumSql } from './checksum.ts'
import { type Comparison, compareTable, type ExpectedModel } from './expected-model.ts'
import { compareModels, comparePrices, compareUsageCounts } from './usage-counts.ts'
import {
  type Clearing,
  compareUsageRows,
  type Group,
  groupOf,
  isLogged,
  openRowMaker,
  ROW_COLUMNS,
} from './usage-rows.ts'

interface Sums {
  rows: number
  quota: number
  prompt_tokens: number
  completion_tokens: number
  checksum: number
}

/** So many groups are looked through row by row when their sums differ; more would only repeat what is known. */
const GROUPS_IN_DETAIL_MAX = 10

/**
 * Rows of the usage log, by user, month and type: how many, their quota and tokens straight from the events, and a
 * checksum over all their columns as the log's own row function makes them. Where those differ, rows are compared. Tests
 * of channels come from their source table as well.
 */
export function expectUsageLog(
  store: Pick<EventStore, 'readStream'>,
  clearings: readonly Clearing[],
): ExpectedModel {
  const groups = new Map<string, Group>()
  const expected = new Map<string, Sums>()
  const options = new Map<string, { value: string }>()
  const makeRow = openRowMaker(clearings)
  const models = new Set<string>()
  let upTo: Position = LOG_START

  function take(event: Recorded): void {
    upTo = event.position
    if (changesOptions(event)) {
      for (const change of optionChangesIn(event)) noteOption(options, change)
    }
    const row = makeRow(event)
    if (row !== null && isLogged(event)) add(row, event)
    // Cleared rows leave their model in the list.
    const named = row ?? (isLogged(event) ? rowOf(event, DEFAULTS) : null)
    if (named !== null) models.add(named.model)
  }

  function add(row: LogRow, event: LoggedEvent): void {
    const key = keyOf(groupOf(row))
    const sums = expected.get(key) ?? noSums()
    expected.set(key, sums)
    const { quota, prompt, completion } = figuresOf(event)
    sums.rows += 1
    sums.quota += quota
    sums.prompt_tokens += prompt
    sums.completion_tokens += completion
    const checksum = checksumOf(ROW_COLUMNS.map((column) => textOf(row[column])))
    sums.checksum = addChecksum(sums.checksum, checksum)
    if (!groups.has(key)) groups.set(key, groupOf(row))
  }

  /** Tests of channels that are no events; none of them is dated after a clearing that it survived. */
  async function takeTests(comparison: Comparison): Promise<void> {
    const cleared = Math.max(...clearings.map(({ before }) => before))
    for await (const test of comparison.rows<LoggedTest>(LOGGED_TESTS)) {
      const event = eventOfTest(test)
      const row = rowOf(event, DEFAULTS)
      if (row === null) continue
      models.add(row.model)
      if (row.created_at >= cleared) add(row, event)
    }
  }

  async function compare(comparison: Comparison): Promise<void> {
    await takeTests(comparison)
    const differing = new Set<string>()
    const noting: Comparison = {
      ...comparison,
      differs(difference) {
        differing.add(difference.key)
        comparison.differs(difference)
      },
    }
    const rows = comparison.rows<Group & { rows: number }>(GROUPS_SQL)
    await compareTable(noting, 'rows', {
      rows,
      expected: new Map(asRows(expected)),
      keyOf: (row) => {
        comparison.looked(row.rows - 1)
        groups.set(keyOf(row), row)
        return keyOf(row)
      },
    })
    for (const key of [...differing].slice(0, GROUPS_IN_DETAIL_MAX)) {
      const group = groups.get(key)
      if (group !== undefined) await compareUsageRows(comparison, { store, clearings, upTo }, group)
    }
    await compareTable(comparison, 'settings', {
      rows: comparison.rows<{ key: string }>('select * from usage_log.settings'),
      expected: new Map(options),
      keyOf: (row) => `option ${row.key}`,
    })
    await comparePrices(comparison)
    await compareModels(comparison, (model) => models.has(model))
    // Counts are checked against the rows, so wrong rows would only blame them.
    if (differing.size === 0) await compareUsageCounts(comparison)
  }

  return {
    model: 'usage-log',
    tables: ['rows', 'days', 'newest', 'sums', 'prices', 'models', 'settings'],
    take,
    compare,
  }
}

const CHECKSUM = checksumSql(
  ROW_COLUMNS.map((column) => (column === 'is_stream' ? 'is_stream::int' : column)),
)
const GROUPS_SQL = `select user_id, to_char(to_timestamp(created_at) at time zone 'UTC', 'YYYY_MM') as month, type,
    count(*) as rows, sum(quota)::bigint as quota, sum(prompt_tokens)::bigint as prompt_tokens,
    sum(completion_tokens)::bigint as completion_tokens, ${CHECKSUM} as checksum
  from usage_log.rows group by 1, 2, 3`

/** The options that decide about rows; withOption answers another object for those alone. */
function noteOption(options: Map<string, { value: string }>, change: OptionText): void {
  const value = change.value ?? ''
  if (withOption(DEFAULTS, change.key, value) === DEFAULTS) return
  options.set(`option ${change.key}`, { value: storableText(value) })
}

const noSums = (): Sums => ({
  rows: 0,
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  checksum: 0,
})

function* asRows(
  expected: ReadonlyMap<string, Sums>,
): Generator<[string, Readonly<Record<string, number>>]> {
  for (const [key, sums] of expected) yield [key, { ...sums }]
}

const keyOf = ({ user_id: user, month, type }: Group): string =>
  `user ${user}, ${month.replace('_', '-')}, type ${type}`

/** The quota and tokens of an event, by the event alone. */
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

const textOf = (value: string | number | boolean): string | number =>
  typeof value === 'boolean' ? Number(value) : value
