import { ruleOf, isPricingOption } from '@tollgate/domain/settings/catalogue.ts'
import { storableText } from '@tollgate/domain/text.ts'
import { z } from 'zod'
import { isZone } from '../zones/zone-days.ts'
import {
  BUCKETS,
  DIMENSIONS,
  dimensionsOf,
  type ReplayDefinition,
  replayTableOf,
} from './definition.ts'

/** Failure texts for an invalid request for a replay. */
export const REPLAY_TEXTS = {
  unknown: '重放不存在或不属于您，请刷新列表',
  name: '重放名称为 1 至 100 个字符',
  range: 'from 与 to 为毫秒时间戳，且 to 必须晚于 from',
  positions: 'positions 的 first 与 last 为不小于 0 的日志位置，且 last 不得小于 first',
  zone: 'zone 不是有效的时区，例如 Asia/Shanghai',
  bucket: 'bucket 只能是 hour、day、week 或 month',
  by: 'by 为 user、group、token、model、channel，或其中两项的一个组合（如 user+model），最多一个组合',
  filters: '筛选条件无效：每个列表为 1 至 1000 项，是否类条件为 true 或 false',
  prices: 'prices 只能是 as-charged、today、日志位置，或 {"options": {…}} 形式的价格草稿',
  notPricing: (key: string) => `价格草稿中的 ${key} 不是价格设置项`,
  draft: (key: string, why: string) => `价格草稿中的 ${key} 无效：${why}`,
  ownOnly: '普通用户只能重放自己的用量，不能按用户或渠道筛选或分组',
  tooManyKept: (most: number) => `最多保留 ${most} 个重放，请先删除不再需要的`,
  tooManyActive: (most: number) => `最多同时有 ${most} 个重放在排队或运行，请等待其完成`,
  ended: '该重放已经结束，请刷新列表',
  notEnded: '该重放仍在排队或运行，请先取消或等待其完成',
  noTable: '该重放没有这个维度的结果，请用所列的 by 之一',
  format: 'format 只能是 csv 或 jsonl',
} as const

const LIST_MAX = 1_000
const NAME_CHARACTERS = 100

const ids = z.array(z.int().min(0)).min(1).max(LIST_MAX)
const names = z.array(z.string().max(255)).min(1).max(LIST_MAX)
const filters = z.strictObject(
  {
    users: ids.optional().describe('Charges of these users; from role 10 on. Absent = of all'),
    groups: names.optional().describe('Charges in these groups; absent = in all'),
    tokens: ids.optional().describe('Charges of the tokens with these ids; absent = of all'),
    models: names.optional().describe('Charges for these models; absent = for all'),
    channels: ids
      .optional()
      .describe('Charges through these channels; from role 10 on. Absent = through all'),
    endpoints: names
      .optional()
      .describe(
        'Charges of calls to these endpoints, such as /v1/chat/completions, and no failures, which do not name theirs; absent = of all',
      ),
    stream: z
      .boolean()
      .optional()
      .describe('true = streamed answers alone, false = whole answers alone; absent = both'),
    estimated: z
      .boolean()
      .optional()
      .describe(
        'true = charges by an estimate of the usage alone, false = the others; absent = both',
      ),
    cancelled: z
      .boolean()
      .optional()
      .describe(
        'true = requests that the client broke off alone, false = the others; absent = both',
      ),
    late: z
      .boolean()
      .optional()
      .describe(
        'true = charges that came after their hold had ended alone, false = the others; absent = both',
      ),
  },
  REPLAY_TEXTS.filters,
)

const prices = z.union(
  [
    z.enum(['as-charged', 'today']),
    z.int().min(0),
    z.strictObject({
      options: z
        .record(z.string(), z.string())
        .describe('Draft: texts of pricing options that replace today’s'),
    }),
  ],
  REPLAY_TEXTS.prices,
)

const position = z.int(REPLAY_TEXTS.positions).min(0, REPLAY_TEXTS.positions).optional()
const positions = z.strictObject(
  {
    first: position.describe(
      'Events from this position of the log on; absent = from its beginning',
    ),
    last: position.describe('Events up to and with this position of the log; absent = to its end'),
  },
  REPLAY_TEXTS.positions,
)

const time = z.int(REPLAY_TEXTS.range).min(0, REPLAY_TEXTS.range)

export const replayName = z
  .string(REPLAY_TEXTS.name)
  .trim()
  .min(1, REPLAY_TEXTS.name)
  .max(NAME_CHARACTERS, REPLAY_TEXTS.name)
  .overwrite(storableText)
  .describe('Name by which its owner knows the replay')

/** A definition as requests and answers carry it. */
export const definitionEntity = {
  from: time.describe('Charges from this moment on, in unix milliseconds'),
  to: time.describe('Charges before this moment, in unix milliseconds; after from'),
  positions: positions
    .optional()
    .describe('Part of the log that is read, by positions; absent = all of it. Times count, too'),
  filters: filters.describe('Which charges are counted; what is absent filters nothing'),
  prices: prices.describe(
    'as-charged; today = the prices in force at the end of the log; a position of the log = the prices in force there; or a draft',
  ),
  bucket: z.enum(BUCKETS, REPLAY_TEXTS.bucket).describe('Span of time that one row sums up'),
  zone: z
    .string(REPLAY_TEXTS.zone)
    .describe('IANA name of the zone whose days the buckets are, such as Asia/Shanghai'),
  by: z
    .array(z.string(), REPLAY_TEXTS.by)
    .max(6, REPLAY_TEXTS.by)
    .describe(
      `Tables of the result beside the totals: ${DIMENSIONS.join(', ')}, and at most one pair such as user+model`,
    ),
} as const

/** The body of a new replay; what is left out is as charged, by day, in UTC, over all. */
export const newReplay = z.object({
  name: replayName,
  ...definitionEntity,
  filters: definitionEntity.filters.default({}),
  prices: definitionEntity.prices.default('as-charged'),
  bucket: definitionEntity.bucket.default('day'),
  zone: definitionEntity.zone.default('UTC'),
  by: definitionEntity.by.default([]),
})
export type NewReplayBody = z.infer<typeof newReplay>

/** The definition that a body asks for, drafts normalised; or why there is none. */
export function definitionOf(
  body: Omit<NewReplayBody, 'name'>,
): { readonly definition: ReplayDefinition } | { readonly problem: string } {
  if (body.to <= body.from) return { problem: REPLAY_TEXTS.range }
  const { first = 0, last = Number.MAX_SAFE_INTEGER } = body.positions ?? {}
  if (last < first) return { problem: REPLAY_TEXTS.positions }
  if (!isZone(body.zone)) return { problem: REPLAY_TEXTS.zone }
  const by = body.by.map(replayTableOf)
  const tables = by.filter((table) => table !== null)
  const isPair = (table: string): boolean => dimensionsOf(table).length === 2
  const isFit = tables.length === by.length && new Set(by).size === by.length
  if (!isFit || tables.filter(isPair).length > 1) return { problem: REPLAY_TEXTS.by }
  const { from, to, positions: part, filters: asked, bucket, zone, prices: wanted } = body
  const range = { from, to, ...(part !== undefined && { positions: part }) }
  const definition = { ...range, filters: asked, bucket, zone, by: tables }
  if (typeof wanted !== 'object') return { definition: { ...definition, prices: wanted } }
  const options: Record<string, string> = {}
  for (const [key, text] of Object.entries(wanted.options)) {
    if (!isPricingOption(key)) return { problem: REPLAY_TEXTS.notPricing(key) }
    const normalised = ruleOf(key).normalise(text)
    const why = ruleOf(key).check(normalised, key)
    if (why !== null) return { problem: REPLAY_TEXTS.draft(key, why) }
    options[key] = normalised
  }
  return { definition: { ...definition, prices: { options } } }
}
