import { z } from 'zod'
import {
  queryFlag,
  queryInstant,
  queryInt,
  queryPage,
  queryPageSize,
  queryPageSizeUpTo,
  queryText,
} from '../http/query.ts'
import type { AsOf } from '../journal/queries.ts'
import { SOURCES, TERMS } from './line-filter.ts'
import { type Group, GROUPS, type WantedLines } from './lines.ts'
import { isZone } from '../zones/zone-days.ts'

export const PERIOD_PROBLEM = '开始时间必须早于结束时间'
const TEXTS = {
  both: '参数 at 与 position 只能使用其中一个',
  position: '参数 position 不是有效的位置：请使用不小于 0 的整数',
  positions: '参数 first_position 与 last_position 只能与 group=none 一起使用',
} as const

const LINES_MOST = 1_000

const choice = <Value extends string>(
  name: string,
  values: readonly Value[],
  description: string,
) =>
  queryText()
    .pipe(
      z
        .enum(['', ...values], `参数 ${name} 只能是 ${values.join('、')}`)
        .transform((value): Value | null => (isOne(values, value) ? value : null)),
    )
    .meta({ type: 'string', enum: ['', ...values], description })

const isOne = <Value extends string>(values: readonly Value[], value: string): value is Value =>
  (values as readonly string[]).includes(value)

const zone = () =>
  queryText()
    .transform((name) => (name === '' ? 'UTC' : name))
    .refine(isZone, {
      error: ({ input }) => `时区 ${String(input)} 不存在：请使用 IANA 名称，如 Asia/Shanghai`,
    })
    .meta({
      type: 'string',
      default: 'UTC',
      description: 'IANA name of the zone whose days the lines go by, such as Asia/Shanghai',
    })

/** Whose statement is no part of it: one's own, or by `user_id`. */
export const filterFields = {
  from: queryInstant('from', 'Start of the period, included; absent = from the first posting'),
  to: queryInstant('to', 'End of the period, not included; absent = now'),
  zone: zone(),
  group: choice(
    'group',
    GROUPS,
    'Postings that one line sums up; default day-model, none = a line for each posting',
  ),
  term: choice('term', TERMS, 'Lines of this term of the sum; absent = of all'),
  source: choice('source', SOURCES, 'Lines of this kind of posting; absent = of all'),
  token_id: queryInt().describe('Lines of the token with this id; 0 = of all'),
  model: queryText().describe('Lines for exactly this model; empty = for all'),
  holds: queryFlag().describe(
    'Whether holds, which leave the balance as it is, are listed too; default false',
  ),
} as const

export const isPeriod = ({ from, to }: { from: number | null; to: number | null }): boolean =>
  from === null || to === null || from < to

export const filterQuery = z.object(filterFields).refine(isPeriod, PERIOD_PROBLEM)

/** Whose account it is, for administrators. */
export const queryAccountOwner = () =>
  queryInt().meta({ description: 'Id of the user whose account it is', minimum: 1 })

/** A position of the log; absent = null. */
const queryPosition = (name: string, description: string) =>
  queryText()
    .refine((text) => /^\d{0,15}$/.test(text), TEXTS.position.replace('position', name))
    .transform((text) => (text === '' ? null : Number(text)))
    .meta({ type: 'integer', minimum: 0, description })

const page = {
  first_position: queryPosition(
    'first_position',
    'With group=none: lines of events from this position of the log on; absent = of all',
  ),
  last_position: queryPosition(
    'last_position',
    'With group=none: lines of events up to and with this position of the log; absent = of all',
  ),
  after: queryText().describe('The next of the page before; empty = from the first line'),
  limit: queryPageSizeUpTo(LINES_MOST),
} as const
interface PageQuery {
  readonly group: Group | null
  readonly first_position: number | null
  readonly last_position: number | null
}
const isOfEvents = ({ group, first_position: first, last_position: last }: PageQuery): boolean =>
  group === 'none' || (first === null && last === null)
export const pageQuery = z
  .object({ ...filterFields, ...page })
  .refine(isPeriod, PERIOD_PROBLEM)
  .refine(isOfEvents, TEXTS.positions)
export const pageQueryOfUser = z
  .object({ ...filterFields, ...page, user_id: queryAccountOwner() })
  .refine(isPeriod, PERIOD_PROBLEM)
  .refine(isOfEvents, TEXTS.positions)

/**
 * The statement that a query asks for; a period without end lasts until `now`, one without beginning has all before it.
 */
export function wantedOf(
  query: z.output<typeof filterQuery>,
  userId: number,
  now: number,
): Omit<WantedLines, 'after' | 'limit'> {
  const to = query.to ?? Math.max(now, (query.from ?? 0) + 1)
  const group: Group = query.group ?? 'day-model'
  return {
    userId,
    period: { from: query.from ?? Math.min(0, to - 1), to },
    zone: query.zone,
    group,
    filter: {
      term: query.term,
      source: query.source,
      tokenId: query.token_id === 0 ? null : query.token_id,
      model: query.model === '' ? null : query.model,
    },
    withHolds: query.holds,
  }
}

const asOf = {
  at: queryInstant(
    'at',
    'Events before this moment count; absent = all. Not together with position',
  ),
  position: queryPosition(
    'position',
    'Events up to and with this position of the log count; absent = all. Not together with at',
  ),
} as const
const isOneOf = ({ at, position }: { at: number | null; position: number | null }): boolean =>
  at === null || position === null

const ofAccount = {
  ...asOf,
  holds: queryFlag().describe(
    'Whether the holds that had quota left then are listed; default false',
  ),
} as const
export const asOfQuery = z.object(ofAccount).refine(isOneOf, TEXTS.both)
export const asOfQueryOfUser = z
  .object({ ...ofAccount, user_id: queryAccountOwner() })
  .refine(isOneOf, TEXTS.both)
export const trialBalanceQuery = z
  .object({
    ...asOf,
    detail: choice(
      'detail',
      ['each'],
      'each: the accounts of each user too; absent = sums by kind',
    ),
  })
  .refine(isOneOf, TEXTS.both)
export const asOfPageQuery = z
  .object({ ...asOf, p: queryPage(1), page_size: queryPageSize() })
  .refine(isOneOf, TEXTS.both)

/** Null where nothing is asked for: as of now. */
export const asOfOf = (query: Pick<z.output<typeof asOfQuery>, 'at' | 'position'>): AsOf | null => {
  if (query.position !== null) return { position: query.position }
  return query.at === null ? null : { before: query.at }
}
