import { ratio } from '@tollgate/domain/pricing/ratio.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import type { Period } from '../period.ts'

/** The currency of amounts: QuotaPerUnit is the quota of one US dollar. */
export const CURRENCY = 'USD'

/** The value of one quota in US dollars from a moment (unix milliseconds) on; decimal text, exact to 12 digits. */
export interface QuotaPrice {
  readonly at: number
  readonly usd: string
}

const quotaUnit = z.object({ at: z.number(), unit: z.string().nullable() })

/** The price of quota at the beginning of a period and at each change of QuotaPerUnit in it, oldest first. */
export async function quotaPrices(
  reads: CommonQueryMethods,
  { from, to }: Period,
): Promise<readonly QuotaPrice[]> {
  const rows = await reads.any(sql.type(quotaUnit)`
    select r.in_force_at as at, e.new_value as unit
    from prices.entries e join prices.revisions r using (revision)
    where e.key = 'QuotaPerUnit' and r.in_force_at < ${to} order by r.in_force_position`)
  const before = rows.filter(({ at }) => at <= from).at(-1)
  const first = { at: from, unit: before?.unit ?? null }
  return [first, ...rows.filter(({ at }) => at > from)].map(({ at, unit }) => ({
    at,
    usd: usdOf(unit ?? DEFAULT),
  }))
}

const DEFAULT = String(optionsFrom([]).number('QuotaPerUnit'))
const DIGITS = 12

/** 1 / QuotaPerUnit. */
function usdOf(quotaPerUnit: string): string {
  const { digits: whole, scale } = ratio(quotaPerUnit)
  const digits = BigInt(whole)
  const places = String(digits).length + DIGITS
  const value = (10n ** BigInt(places + scale) + digits / 2n) / digits
  const text = String(value).padStart(places + 1, '0')
  const fraction = text.slice(-places).replace(/0+$/u, '')
  return `${text.slice(0, -places)}.${fraction === '' ? '0' : fraction}`
}
