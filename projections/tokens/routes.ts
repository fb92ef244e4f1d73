import {
  type ApiRequest,
  type ApiRoute,
  callerOf,
  failure,
  route,
} from '@tollgate/command-api/http-contract/api-route.ts'
import {
  EXAMPLE_TOKEN,
  TOKEN_SCHEMA,
  tokenEntity,
} from '@tollgate/command-api/http-contract/token-entity.ts'
import { withoutLeading, withoutTrailing } from '@tollgate/domain/text.ts'
import type { CommonQueryMethods } from 'slonik'
import { z } from 'zod'
import { idInPath, queryPage, queryPageSizeUpTo, queryText } from '../http/query.ts'
import type { TokenRow } from './projector.ts'
import { liveTokensOf, tokenPage } from './queries.ts'

/** The parts of a token that are kept apart from the read models. */
interface TokenSecret {
  readonly name: string
  /** Without `sk-`. */
  readonly key: string
  /** The list of models in its form, whether it limits or not. */
  readonly modelList: readonly string[]
}

/** Names and keys of tokens, which are kept apart from the read models; the keys encrypted. */
export interface TokenSecrets {
  /** The secret of each id that exists. */
  describe(ids: readonly number[]): Promise<ReadonlyMap<number, TokenSecret>>
  /** The owner's tokens whose name and key contain these texts; '' matches all. */
  search(
    userId: number,
    wanted: { readonly name: string; readonly key: string },
  ): Promise<readonly number[]>
}

/** Lists of `allowed_ips`, with the addresses in place of the ids that stand for them, in the same order. */
export type ReadAddresses = (
  lists: readonly (readonly string[])[],
) => Promise<readonly (readonly string[])[]>

export interface TokenReadDeps {
  readonly reads: CommonQueryMethods
  readonly secrets: TokenSecrets
  readonly readAddresses: ReadAddresses
}

const tokenAnswer = z.fromJSONSchema(TOKEN_SCHEMA)
const READS = ['tokens'] as const
const searchQuery = z.object({
  keyword: queryText().describe('Part of the token’s name; empty finds all'),
  token: queryText().describe('Part of the key, with or without sk-; empty finds all'),
})
/** An account has no more that live; one query reads them all. */
const TOKENS_MOST = 10_000
/** Without the key: a file goes from hand to hand. */
const CSV = {
  name: 'tokens',
  columns: Object.keys(TOKEN_SCHEMA.properties).filter((name) => name !== 'key'),
} as const
/** By the contract (console-api 2.8). */
const PAGE_MOST = 100

/** Reading one's own tokens (console-api 2.8). The key is in full: the console masks it (decision 18). */
export function tokenReadRoutes(deps: TokenReadDeps): readonly ApiRoute[] {
  const entities = async (rows: readonly TokenRow[]): Promise<readonly TokenEntity[]> => {
    const secrets = await deps.secrets.describe(rows.map((row) => row.token_id))
    const addresses = await deps.readAddresses(rows.map((row) => row.allowed_ips))
    return rows.map((row, index) =>
      entityOf(row, addresses[index] ?? [], secrets.get(row.token_id)),
    )
  }
  const found = async (
    request: ApiRequest<unknown, z.output<typeof searchQuery>>,
  ): Promise<readonly TokenRow[]> => {
    const user = callerOf(request).userId
    const key = withoutTrailing(withoutLeading(request.query.token, 'sk-'), 'sk-')
    const ids = await deps.secrets.search(user, { name: request.query.keyword, key })
    return liveTokensOf(deps.reads, user, ids)
  }
  return [
    route({
      method: 'GET',
      path: '/api/token/',
      access: 'user',
      summary: 'A page of the caller’s tokens, newest first; pages from 0',
      reads: READS,
      query: z.object({ p: queryPage(0), size: queryPageSizeUpTo(PAGE_MOST) }),
      csv: {
        ...CSV,
        async *batches(request) {
          const user = callerOf(request).userId
          yield await entities(await tokenPage(deps.reads, user, 0, TOKENS_MOST))
        },
      },
      answer: { data: z.array(tokenAnswer) },
      example: { query: { p: '0', size: '10' }, data: [EXAMPLE_TOKEN] },
      handle: async (request) => {
        const { p, size } = request.query
        const user = callerOf(request).userId
        const rows = await tokenPage(deps.reads, user, Math.max(0, p), size)
        return { data: await entities(rows) }
      },
    }),
    route({
      method: 'GET',
      path: '/api/token/search',
      access: 'user',
      summary: 'The caller’s tokens whose name and key contain the given texts',
      reads: READS,
      query: searchQuery,
      csv: {
        ...CSV,
        async *batches(request: ApiRequest<unknown, z.output<typeof searchQuery>>) {
          yield await entities(await found(request))
        },
      },
      answer: { data: z.array(tokenAnswer) },
      example: { query: { keyword: 'note', token: 'sk-q3s' }, data: [EXAMPLE_TOKEN] },
      handle: async (request) => {
        return { data: await entities(await found(request)) }
      },
    }),
    route({
      method: 'GET',
      path: '/api/token/:id',
      access: 'user',
      summary: 'One of the caller’s tokens',
      reads: READS,
      params: idInPath('Id of the caller’s token'),
      answer: { data: tokenAnswer },
      example: { params: { id: '12' }, data: EXAMPLE_TOKEN },
      handle: async (request) => {
        const { id } = request.params
        if (id === 0) return failure('id 或 userId 为空！')
        const rows = await liveTokensOf(deps.reads, callerOf(request).userId, [id])
        const [entity] = await entities(rows)
        return entity === undefined ? failure('record not found') : { data: entity }
      },
    }),
  ]
}

type TokenEntity = ReturnType<typeof tokenEntity>

const entityOf = (
  row: TokenRow,
  allowedIps: readonly string[],
  { name, key, modelList }: TokenSecret = { name: '', key: '', modelList: [] },
): TokenEntity =>
  tokenEntity({
    id: row.token_id,
    userId: row.user_id,
    name,
    key,
    status: row.status,
    createdAtMs: row.created_at,
    accessedAtMs: row.accessed_at,
    expiresAtMs: row.expires_at,
    remain: row.remain,
    used: row.used,
    unlimited: row.unlimited,
    models: row.models,
    modelList,
    allowedIps,
    group: row.group_name,
  })
