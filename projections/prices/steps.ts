import type { Position } from '@tollgate/domain/event.ts'
import { pricedName } from '@tollgate/domain/pricing/model-name.ts'
import { findPrice, priceBookFrom } from '@tollgate/domain/pricing/price-book.ts'
import type { BookPrice, PriceFactors } from '@tollgate/domain/pricing/price.ts'
import { printRatio, ratio, ratioOf, times } from '@tollgate/domain/pricing/ratio.ts'
import { optionsFrom, type OptionsView } from '@tollgate/domain/settings/options.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'

/** The price of a model from a moment on. Amounts in quota as decimal texts. */
export interface PriceStep {
  /** Position of the revision; −1 = the defaults. */
  readonly revision: Position
  readonly number: number
  /** Unix milliseconds; null for the defaults. */
  readonly from: number | null
  readonly isPlanned: boolean
  /** Per million tokens in and out; null where calls have a price, or nothing has. */
  readonly input: string | null
  readonly output: string | null
  /** Per call. */
  readonly call: string | null
  /** Factors of the prices of tokens under terms of a request; null = none. */
  readonly factors: PriceFactors | null
}

type Cost = Pick<PriceStep, 'input' | 'output' | 'call' | 'factors'>

const changeRow = z.object({
  revision: z.number(),
  number: z.number(),
  from: z.number(),
  is_planned: z.boolean(),
  key: z.string(),
  name: z.string(),
  new_value: z.string().nullable(),
})
type Change = Readonly<z.output<typeof changeRow>>

/** A page of a line: older steps than the newest so many are left out. */
const STEPS_MAX = 500

/** A model's price in a group through time: a step for each revision that changed it, planned ones last. */
export async function priceSteps(
  reads: CommonQueryMethods,
  model: string,
  group: string,
): Promise<readonly PriceStep[]> {
  const names = [...new Set([model, pricedName(model)])]
  const rows = await reads.any(sql.type(changeRow)`
    select r.revision, r.number, coalesce(r.in_force_at, r.effective_at) as from,
      r.in_force_position is null as is_planned, e.key, e.name, e.new_value
    from prices.entries e join prices.revisions r using (revision)
    where r.withdrawn_at is null and (e.key = 'QuotaPerUnit' or (e.key = 'GroupRatio' and e.name = ${group})
      or (e.key in ('ModelPrice', 'ModelRatio', 'CompletionRatio', 'PriceFactors')
        and e.name = any(${sql.array(names, 'text')})))
    order by r.in_force_position nulls last, r.effective_at, r.number`)
  let options = optionsFrom([])
  const steps: PriceStep[] = []
  const add = (change: Pick<Change, 'revision' | 'number' | 'is_planned'>, from: number | null) => {
    const { revision, number, is_planned: isPlanned } = change
    steps.push({ revision, number, from, isPlanned, ...costOf(options, model, group) })
  }
  add({ revision: -1, number: 0, is_planned: false }, null)
  for (const [index, change] of rows.entries()) {
    options = withEntry(options, change)
    if (rows[index + 1]?.revision !== change.revision) add(change, change.from)
  }
  return steps.slice(-STEPS_MAX)
}

function withEntry(options: OptionsView, { key, name, new_value: value }: Change): OptionsView {
  if (!isTable(key)) return options.with(key, value)
  const entries = new Map(Object.entries(options.json(key) as object))
  if (value === null) entries.delete(name)
  else entries.set(name, JSON.parse(value))
  return options.with(key, JSON.stringify(Object.fromEntries(entries)))
}

const TABLES = [
  'ModelPrice',
  'ModelRatio',
  'CompletionRatio',
  'GroupRatio',
  'PriceFactors',
] as const
const isTable = (key: string): key is (typeof TABLES)[number] =>
  TABLES.some((table) => table === key)

const MILLION = ratioOf(1_000_000)
const NOT_PRICED = { input: null, output: null, call: null, factors: null } as const

function costOf(options: OptionsView, model: string, group: string): Cost {
  const found = findPrice(priceBookFrom(options, -1), { model, group, acceptsUnsetRatio: false })
  return found.status === 'priced' ? inQuota(found.price) : NOT_PRICED
}

function inQuota(price: BookPrice): Cost {
  const group = ratio(price.groupRatio)
  if (price.by === 'call') {
    const call = times(ratio(price.callPrice), ratio(price.quotaPerUnit), group)
    return { ...NOT_PRICED, call: printRatio(call) }
  }
  const input = times(ratio(price.modelRatio), group, MILLION)
  const output = times(input, ratio(price.completionRatio))
  return {
    input: printRatio(input),
    output: printRatio(output),
    call: null,
    factors: price.factors ?? null,
  }
}
