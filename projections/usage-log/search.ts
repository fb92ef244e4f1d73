import type { Price } from '@tollgate/domain/pricing/price.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { CONSUMPTION_TEXT, consumptionText } from './entity.ts'
import { logPage, withPrice } from './queries.ts'
import { CONSUMPTION, type LogRow, logRow } from './row.ts'

/** Consumption rows looked through for a text: their texts are not stored, so no index leads to one. */
const LOOKED_THROUGH_MOST = 100_000

/** The newest rows whose type is the keyword or whose text begins with it, or which belong to the request it names. */
export async function searchLog(
  reads: CommonQueryMethods,
  keyword: string,
  limit: number,
): Promise<readonly LogRow[]> {
  // Every text begins with nothing.
  if (keyword === '') return (await logPage(reads, {}, 1, limit)).rows
  const type = /^\d{1,4}$/.test(keyword) ? Number(keyword) : -1
  const { plain, audio, isAny } = await pricesSaying(reads, keyword)
  const newest = sql.fragment`order by created_at desc, id desc limit ${limit}`
  return reads.any(
    withPrice(sql.fragment`
      (select * from usage_log.rows where type = ${type} ${newest})
      union
      (select * from usage_log.rows where request_id = ${keyword} and request_id <> '' limit ${limit})
      union
      (select * from usage_log.rows where content <> '' and starts_with(content, ${keyword}) ${newest})
      union
      (select * from (
         select * from usage_log.rows where type = ${CONSUMPTION} and content = ''
         order by created_at desc, id desc limit ${isAny ? LOOKED_THROUGH_MOST : 0}
       ) as newest
       where price_key = any(case when ${HAS_AUDIO} then ${sql.array(audio, 'int8')} else ${sql.array(plain, 'int8')} end)
       ${newest})
      ${newest}`),
  )
}

/** Kinds of usage that were not there are left out of the detail. */
const HAS_AUDIO = sql.fragment`(detail like '%"audioIn":%' or detail like '%"audioOut":%')`

interface PricesSaying {
  /** Keys of the prices whose rows have such a text, without audio and with. */
  readonly plain: readonly number[]
  readonly audio: readonly number[]
  readonly isAny: boolean
}

/** Which prices give rows a text that begins with the keyword. */
async function pricesSaying(reads: CommonQueryMethods, keyword: string): Promise<PricesSaying> {
  if (!keyword.startsWith(CONSUMPTION_TEXT)) return { plain: [], audio: [], isAny: false }
  const rows = await reads.any(sql.type(logRow.pick({ price_key: true, price: true }))`
    select price_key, price from usage_log.prices where price_key <> 0`)
  const keysOf = (hasAudio: boolean): readonly number[] =>
    rows
      .filter(({ price }) =>
        consumptionText(JSON.parse(price) as Price, hasAudio).startsWith(keyword),
      )
      .map(({ price_key: key }) => key)
  const [plain, audio] = [keysOf(false), keysOf(true)]
  return { plain, audio, isAny: plain.length > 0 || audio.length > 0 }
}
