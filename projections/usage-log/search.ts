import type { Price } from '@tollgate/domain/pricing/price.ts'
import type pg from 'pg'
import { CONSUMPTION_TEXT, consumptionText } from './entity.ts'
import { logPage, withPrice } from './queries.ts'
import { CONSUMPTION, type LogRow } from './row.ts'

/** Consumption rows looked through for a text: their texts are not stored, so no index leads to one. */
const LOOKED_THROUGH_MOST = 100_000

/** The newest rows whose type is the keyword or whose text begins with it, or which belong to the request it names. */
export async function searchLog(
  pool: pg.Pool,
  keyword: string,
  limit: number,
): Promise<readonly LogRow[]> {
  // Every text begins with nothing.
  if (keyword === '') return (await logPage(pool, {}, 1, limit)).rows
  const type = /^\d{1,4}$/.test(keyword) ? Number(keyword) : -1
  const saying = await pricesSaying(pool, keyword)
  const { rows } = await pool.query<LogRow>(
    withPrice(
      `(select * from usage_log.rows where type = $1 order by created_at desc, id desc limit $3)
       union
       (select * from usage_log.rows where request_id = $2 and request_id <> '' limit $3)
       union
       (select * from usage_log.rows where content <> '' and starts_with(content, $2)
        order by created_at desc, id desc limit $3)
       union
       (select * from (
          select * from usage_log.rows where type = ${CONSUMPTION} and content = ''
          order by created_at desc, id desc limit $6
        ) as newest
        where price_key = any(case when ${HAS_AUDIO} then $5::bigint[] else $4::bigint[] end)
        order by created_at desc, id desc limit $3)
       order by created_at desc, id desc limit $3`,
    ),
    [type, keyword, limit, saying.plain, saying.audio, saying.isAny ? LOOKED_THROUGH_MOST : 0],
  )
  return rows
}

/** Kinds of usage that were not there are left out of the detail. */
const HAS_AUDIO = `(detail like '%"audioIn":%' or detail like '%"audioOut":%')`

interface PricesSaying {
  /** Keys of the prices whose rows have such a text, without audio and with. */
  readonly plain: readonly number[]
  readonly audio: readonly number[]
  readonly isAny: boolean
}

/** Which prices give rows a text that begins with the keyword. */
async function pricesSaying(pool: pg.Pool, keyword: string): Promise<PricesSaying> {
  if (!keyword.startsWith(CONSUMPTION_TEXT)) return { plain: [], audio: [], isAny: false }
  const { rows } = await pool.query<{ price_key: number; price: string }>(
    'select price_key, price from usage_log.prices where price_key <> 0',
  )
  const keysOf = (hasAudio: boolean): readonly number[] =>
    rows
      .filter(({ price }) =>
        consumptionText(JSON.parse(price) as Price, hasAudio).startsWith(keyword),
      )
      .map(({ price_key: key }) => key)
  const [plain, audio] = [keysOf(false), keysOf(true)]
  return { plain, audio, isAny: plain.length > 0 || audio.length > 0 }
}
