import type { CommonQueryMethods } from 'slonik'
import { revisionInUse } from '../prices/queries.ts'
import type { LogFilter } from './filter.ts'

/** A request is charged within a week before or after its prices were in force: long tasks, spools, clocks apart. */
const CHARGED_WITHIN_SECONDS = 7 * 86_400

/**
 * A filter with the consumption alone that a revision of prices priced, by its number; null when there is no such
 * revision. The time that the prices were in force bounds the rows that are looked through.
 */
export async function pricedBy(
  reads: CommonQueryMethods,
  filter: LogFilter,
  number: string,
): Promise<LogFilter | null> {
  if (!/^\d{1,15}$/.test(number)) return null
  const found = await revisionInUse(reads, Number(number))
  if (found === null) return null
  const { revision, since, until } = found
  const from = since === null ? null : Math.floor(since / 1000) - CHARGED_WITHIN_SECONDS
  const to = until === null ? null : Math.ceil(until / 1000) + CHARGED_WITHIN_SECONDS
  return {
    ...filter,
    priceRevision: revision,
    ...(from !== null && { from: Math.max(filter.from ?? 0, from) }),
    ...(to !== null && { to: Math.min(filter.to ?? to, to) }),
  }
}
