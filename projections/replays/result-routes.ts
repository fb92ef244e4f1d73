import { Readable } from 'node:stream'
import {
  type ApiRoute,
  callerOf,
  failure,
  route,
} from '@tollgate/command-api/http-contract/api-route.ts'
import { z } from 'zod'
import { pageOf } from '../http/answer.ts'
import { distinctIds, type Names } from '../http/names.ts'
import { queryFlag, queryPage, queryPageSize, queryText } from '../http/query.ts'
import { type Dimension, dimensionsOf, TOTAL } from './definition.ts'
import type { ReplayRouteDeps } from './deps.ts'
import { EXPORT_FORMATS, exportText } from './export-text.ts'
import { itemEntity, replayItem } from './item-entity.ts'
import { readData } from './queries.ts'
import { EXAMPLE_ITEM, EXAMPLE_REPLAY } from './replay-entity.ts'
import { REPLAY_IN_PATH, type ReplayReader } from './replay-reader.ts'
import type { Replay } from './replay-table.ts'
import { REPLAY_TEXTS as TEXTS } from './request-body.ts'

const dataItem = replayItem.extend({ name: z.string(), name2: z.string() })
const byQuery = z
  .preprocess((value) => value ?? TOTAL, z.string())
  .meta({
    default: TOTAL,
    description:
      'Table of the result: total, or one of the replay’s by, such as model or user+model',
  })
const { id: EXAMPLE_ID } = EXAMPLE_REPLAY

/** The result of a replay: a page of one of its tables, or a whole table as a file. */
export function replayResultRoutes(
  { reads, names }: Pick<ReplayRouteDeps, 'reads' | 'names'>,
  { findFor }: ReplayReader,
): readonly ApiRoute[] {
  return [
    route({
      method: 'GET',
      path: '/api/replays/:id/data',
      access: 'user',
      summary:
        'The result by=total (default) or by one of the replay’s tables, by bucket; sum=true: over all buckets, the largest change first',
      params: REPLAY_IN_PATH,
      query: z.object({
        by: byQuery,
        sum: queryFlag().describe(
          'Whether rows are summed over all buckets, the largest change first; default false',
        ),
        p: queryPage(1),
        page_size: queryPageSize(),
      }),
      answer: { data: pageOf(dataItem) },
      failureStatuses: [404],
      example: {
        params: { id: EXAMPLE_ID },
        query: { by: 'model' },
        data: { items: [EXAMPLE_ITEM], total: 1, page: 1, page_size: 10 },
      },
      handle: async (request) => {
        const { by, sum: isSummed, p, page_size: limit } = request.query
        const found = await findFor(callerOf(request), request.params.id)
        if (found === null) return failure(TEXTS.unknown, 404)
        if (!hasTable(found, by)) return failure(TEXTS.noTable)
        const page = Math.max(1, p)
        const question = {
          replay: found.id,
          table: by,
          isSummed,
          limit,
          offset: (page - 1) * limit,
        }
        const read = await readData(reads, question)
        const { firstNames, secondNames } = await namesOfTable(names, by, read.items)
        const items = read.items.map((item) => ({
          ...itemEntity(item),
          name: firstNames(item.key),
          name2: secondNames(item.key2),
        }))
        return { data: { items, total: read.total, page, page_size: limit } }
      },
    }),
    route({
      method: 'GET',
      path: '/api/replays/:id/export',
      access: 'user',
      summary:
        'A whole table of the result as a file: by as in /data, format=csv (default) or jsonl',
      params: REPLAY_IN_PATH,
      query: z.object({
        by: byQuery,
        format: queryText().meta({
          description: 'Form of the file: comma-separated values or JSON lines; default csv',
          enum: EXPORT_FORMATS,
        }),
      }),
      answer: { file: ['text/csv', 'application/x-ndjson'] },
      failureStatuses: [404],
      example: { params: { id: EXAMPLE_ID }, query: { by: 'model', format: 'csv' } },
      handle: async (request) => {
        const { by, format } = request.query
        const found = await findFor(callerOf(request), request.params.id)
        if (found === null) return failure(TEXTS.unknown, 404)
        if (!hasTable(found, by)) return failure(TEXTS.noTable)
        if (format !== '' && format !== 'csv' && format !== 'jsonl') return failure(TEXTS.format)
        const isCsv = format !== 'jsonl'
        const text = exportText(reads, found.id, by, isCsv ? 'csv' : 'jsonl')
        return {
          whole: Readable.from(text, { highWaterMark: 1 }),
          headers: {
            'content-type': isCsv ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
            'content-disposition': `attachment; filename="replay-${by.replace('+', '-')}.${isCsv ? 'csv' : 'jsonl'}"`,
          },
        }
      },
    }),
  ]
}

const hasTable = ({ definition }: Replay, table: string): boolean =>
  table === TOTAL || (definition.by as readonly string[]).includes(table)

/** Names of the keys of a table's rows: of its first dimension, and of its second when it has one. */
async function namesOfTable(
  names: Names,
  table: string,
  items: readonly { key: string; key2: string }[],
) {
  const [first, second] = dimensionsOf(table)
  const firstKeys = items.map(({ key }) => key)
  const secondKeys = items.map(({ key2 }) => key2)
  const [firstNames, secondNames] = await Promise.all([
    namesOf(names, first, firstKeys),
    namesOf(names, second, secondKeys),
  ])
  return { firstNames, secondNames }
}

/** Names of a dimension's keys: of users, tokens and channels as they are called now, of others themselves. */
async function namesOf(
  names: Names,
  dimension: Dimension | undefined,
  keys: readonly string[],
): Promise<(key: string) => string> {
  const source = { user: names.users, token: names.tokens, channel: names.channels }
  if (dimension === undefined || dimension === 'group' || dimension === 'model') return (key) => key
  const found = await source[dimension](distinctIds(keys.map(Number)))
  return (key) => found.get(Number(key)) ?? ''
}
