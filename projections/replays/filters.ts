import type { EventTable } from '@tollgate/domain/event-columns.ts'
import { keyText } from '../runner/columns.ts'
import type { ReplayFilters } from './definition.ts'
import { numbersOf, wordsOf } from './replayed-events.ts'
import { textOf } from './replay-keys.ts'

/** Answers whether a row of a table is let through. */
export function filterOf(
  filters: ReplayFilters,
  table: EventTable,
  words: readonly string[],
): (row: number) => boolean {
  const isCharge = table.type === 'UsageCharged'
  const { users, groups, tokens, models, channels, endpoints } = filters
  const { stream, estimated, cancelled, late } = filters
  const wantsCharges = [endpoints, estimated, cancelled, late].some((one) => one !== undefined)
  if (!isCharge && wantsCharges) return () => false
  const tests = [
    isAmong(users, isCharge ? table.streams : numbersOf(table, 'account')),
    isOneOf(groups, wordsOf(table, isCharge ? 'request.group' : 'group'), words),
    isAmong(tokens, numbersOf(table, 'token')),
    isOneOf(models, wordsOf(table, isCharge ? 'request.model' : 'model'), words),
    isAmong(channels, numbersOf(table, isCharge ? 'request.channel' : 'channel')),
    isSo(stream, numbersOf(table, isCharge ? 'request.stream' : 'stream')),
    ...(isCharge
      ? [
          isOneOf(endpoints, wordsOf(table, 'request.endpoint'), words),
          isSo(estimated, numbersOf(table, 'request.estimated')),
          isSo(cancelled, numbersOf(table, 'request.cancelled')),
          isSo(late, numbersOf(table, 'late')),
        ]
      : []),
  ].filter((test) => test !== null)
  return tests.length === 0 ? () => true : (row) => tests.every((test) => test(row))
}

type Test = (row: number) => boolean

/** 0 stands for none. */
function isAmong(wanted: readonly number[] | undefined, column: Float64Array): Test | null {
  if (wanted === undefined) return null
  const values = new Set(wanted)
  return (row) => {
    const value = column[row] ?? NaN
    return values.has(Number.isNaN(value) ? 0 : value)
  }
}

function isOneOf(
  wanted: readonly string[] | undefined,
  column: Int32Array,
  words: readonly string[],
): Test | null {
  if (wanted === undefined) return null
  const values = new Set(wanted.map(keyText))
  return (row) => values.has(textOf(column[row] ?? -1, words))
}

function isSo(wanted: boolean | undefined, column: Float64Array): Test | null {
  return wanted === undefined ? null : (row) => (column[row] === 1) === wanted
}
