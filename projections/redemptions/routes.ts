import {
  type ApiRoute,
  callerOf,
  failure,
  route,
} from '@tollgate/command-api/http-contract/api-route.ts'
import {
  EXAMPLE_LISTED_REDEMPTION,
  LISTED_REDEMPTION_SCHEMA,
  type ListedRedemption,
  redemptionEntity,
} from '@tollgate/command-api/http-contract/redemption-entity.ts'
import { below } from '@tollgate/command-api/http-contract/csv-batches.ts'
import type { CommonQueryMethods } from 'slonik'
import { z } from 'zod'
import { pageOf } from '../http/answer.ts'
import { distinctIds, type Names } from '../http/names.ts'
import { idInPath, queryInt, queryPage, queryPageSize, queryText } from '../http/query.ts'
import type { CodeRow } from './projector.ts'
import { type CodeFilter, codePage, redeemedBelow, redeemedPage } from './queries.ts'

/** Names of redemption codes and the codes themselves, which are kept encrypted apart from the read models. */
export interface RedemptionSecrets {
  describe(
    ids: readonly number[],
  ): Promise<ReadonlyMap<number, { readonly name: string; readonly code: string }>>
  /** The code of exactly these characters; null when there is none. */
  findByCode(code: string): Promise<number | null>
  /** Codes whose names begin like this. */
  searchByName(beginning: string): Promise<readonly number[]>
}

export interface RedemptionReadDeps {
  readonly reads: CommonQueryMethods
  readonly redemptionSecrets: RedemptionSecrets
  readonly names: Pick<Names, 'users'>
}

const READS = ['redemptions'] as const
const pageQuery = z.object({ p: queryPage(1), page_size: queryPageSize() })
const searchQuery = pageQuery.extend({
  keyword: queryText().describe('Id of a code, or beginning of its name; empty finds all'),
  user_id: queryInt().describe('Codes that this user has redeemed; 0 finds all'),
  code: queryText().describe('The whole code, as it is redeemed; empty finds all'),
})

const codeAnswer = z.fromJSONSchema(LISTED_REDEMPTION_SCHEMA)
const pageAnswer = pageOf(codeAnswer)
/** With the codes: they are what is handed out. */
const CSV = {
  name: 'redemptions',
  columns: Object.keys(LISTED_REDEMPTION_SCHEMA.properties),
} as const
const EXAMPLE_PAGE = { items: [EXAMPLE_LISTED_REDEMPTION], total: 1, page: 1, page_size: 10 }

/** Reading redemption codes (console-api 2.9): any admin sees all of them, with the code in full. */
export function redemptionReadRoutes(deps: RedemptionReadDeps): readonly ApiRoute[] {
  const { reads, names, redemptionSecrets: secrets } = deps
  const entities = async (rows: readonly CodeRow[]): Promise<readonly ListedRedemption[]> => {
    const [described, users] = await Promise.all([
      secrets.describe(rows.map((row) => row.code_id)),
      names.users(distinctIds(rows.flatMap((row) => [row.creator, row.used_by ?? 0]))),
    ])
    return rows.map((row) => ({
      ...entityOf(row, described.get(row.code_id)),
      username: users.get(row.creator) ?? '',
      used_username: users.get(row.used_by ?? 0) ?? '',
    }))
  }
  const readPage = async (
    filter: CodeFilter,
    query: z.output<typeof pageQuery>,
  ): Promise<object> => {
    const size = query.page_size
    const { rows, total } = await codePage(reads, filter, { page: Math.max(1, query.p), size })
    // An absent or impossible page is the first, and echoed as 0.
    return { items: await entities(rows), total, page: Math.max(0, query.p), page_size: size }
  }
  const redeemedOf = async (
    rows: readonly CodeRow[],
  ): Promise<readonly z.infer<typeof REDEEMED>[]> => {
    const described = await secrets.describe(rows.map((row) => row.code_id))
    return rows.map((row) => redeemedEntity(row, described.get(row.code_id)?.code ?? ''))
  }
  async function* redeemedBy(user: number): AsyncGenerator<readonly z.infer<typeof REDEEMED>[]> {
    const batches = below<CodeRow, CodeRow>(
      (before, limit) => redeemedBelow(reads, user, before, limit),
      (row) => row,
    )
    for await (const rows of batches) yield await redeemedOf(rows)
  }
  async function* exported(filter: CodeFilter): AsyncGenerator<readonly ListedRedemption[]> {
    const batches = below(
      async (before, size) =>
        (
          await codePage(
            reads,
            { ...filter, ...(before !== null && { before }) },
            { page: 1, size },
          )
        ).rows,
      (row) => row.code_id,
    )
    for await (const rows of batches) yield await entities(rows)
  }
  return [
    route({
      method: 'GET',
      path: '/api/user/redemptions',
      access: 'user',
      summary: 'A page of the codes that one has redeemed oneself, newest first; pages from 1',
      reads: READS,
      query: pageQuery,
      answer: { data: pageOf(REDEEMED) },
      example: {
        query: { p: '1', page_size: '10' },
        data: { items: [EXAMPLE_REDEEMED], total: 1, page: 1, page_size: 10 },
      },
      csv: {
        name: 'redeemed-codes',
        columns: Object.keys(REDEEMED.shape),
        batches: (request) => redeemedBy(callerOf(request).userId),
      },
      handle: async (request) => {
        const { p, page_size: size } = request.query
        const page = Math.max(1, p)
        const { rows, total } = await redeemedPage(reads, callerOf(request).userId, { page, size })
        return { data: { items: await redeemedOf(rows), total, page, page_size: size } }
      },
    }),
    route({
      method: 'GET',
      path: '/api/redemption/',
      access: 'admin',
      summary: 'A page of redemption codes, newest first; pages from 1',
      reads: READS,
      query: pageQuery,
      csv: { ...CSV, batches: () => exported({}) },
      answer: { data: pageAnswer },
      example: { query: { p: '1', page_size: '10' }, data: EXAMPLE_PAGE },
      handle: async ({ query }) => ({ data: await readPage({}, query) }),
    }),
    route({
      method: 'GET',
      path: '/api/redemption/search',
      access: 'admin',
      summary:
        'Redemption codes by id or beginning of the name, by who used them, by the code itself',
      reads: READS,
      query: searchQuery,
      csv: {
        ...CSV,
        async *batches({ query }: { readonly query: z.output<typeof searchQuery> }) {
          yield* exported(await filterOf(secrets, query))
        },
      },
      answer: { data: pageAnswer },
      example: { query: { keyword: 'spr', user_id: '7' }, data: EXAMPLE_PAGE },
      handle: async ({ query }) => ({
        data: await readPage(await filterOf(secrets, query), query),
      }),
    }),
    route({
      method: 'GET',
      path: '/api/redemption/:id',
      access: 'admin',
      summary: 'One redemption code',
      reads: READS,
      params: idInPath('Id of the redemption code'),
      answer: { data: codeAnswer },
      example: { params: { id: '5' }, data: EXAMPLE_LISTED_REDEMPTION },
      handle: async ({ params }) => {
        if (params.id === 0) return failure('id 为空！')
        const { rows } = await codePage(reads, { ids: [params.id] }, { page: 1, size: 1 })
        const [entity] = await entities(rows)
        return entity === undefined ? failure('record not found') : { data: entity }
      },
    }),
  ]
}

/** The view of a code for users who are no administrators: without its name, which is the operator's. */
const REDEEMED = z.strictObject({
  id: z.int(),
  /** The first and last four characters; '' when the code was deleted since. */
  key_hint: z.string(),
  /** 3 = used, as in the list of administrators. */
  status: z.literal(3),
  quota: z.int(),
  /** Unix seconds. */
  redeemed_time: z.int(),
})

const EXAMPLE_REDEEMED: z.infer<typeof REDEEMED> = {
  id: 5,
  key_hint: '1f0c…2b40',
  status: 3,
  quota: 100_000,
  redeemed_time: 1_767_312_000,
}

const redeemedEntity = (row: CodeRow, code: string): z.infer<typeof REDEEMED> => ({
  id: row.code_id,
  key_hint: code === '' ? '' : `${code.slice(0, 4)}…${code.slice(-4)}`,
  status: 3,
  quota: row.quota,
  redeemed_time: Math.floor((row.used_at ?? 0) / 1000),
})

async function filterOf(
  secrets: RedemptionSecrets,
  { keyword, user_id: usedBy, code }: z.output<typeof searchQuery>,
): Promise<CodeFilter> {
  const found = code === '' ? null : await secrets.findByCode(code)
  const byCode = code === '' ? null : found === null ? [] : [found]
  const byKeyword = keyword === '' ? null : await idsOf(secrets, keyword)
  const ids =
    byCode === null || byKeyword === null ? (byCode ?? byKeyword) : both(byCode, byKeyword)
  return {
    ...(ids === null ? {} : { ids }),
    ...(usedBy === 0 ? {} : { usedBy }),
  }
}

async function idsOf(secrets: RedemptionSecrets, keyword: string): Promise<readonly number[]> {
  const numbered = /^\d{1,15}$/.test(keyword) ? [Number(keyword)] : []
  return [...numbered, ...(await secrets.searchByName(keyword))]
}

const both = (some: readonly number[], others: readonly number[]): readonly number[] =>
  some.filter((id) => others.includes(id))

const entityOf = (
  row: CodeRow,
  secret: { readonly name: string; readonly code: string } | undefined,
) =>
  redemptionEntity({
    id: row.code_id,
    creator: row.creator,
    name: secret?.name ?? '',
    code: secret?.code ?? '',
    status: row.status,
    quota: row.quota,
    issuedAtMs: row.issued_at,
    use: row.used_by === null ? null : { user: row.used_by, atMs: row.used_at ?? 0 },
  })
