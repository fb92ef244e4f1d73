import type { LiveChannel } from '@tollgate/domain/channel/state.ts'
import { type ApiRoute, failure, route } from '@tollgate/domain/ports/api-route.ts'
import type pg from 'pg'
import { z } from 'zod'
import type { Names } from '../http/names.ts'
import { idInPath, pageSize, queryFlag, queryInt, queryText } from '../http/query.ts'
import { type ChannelRow, stateOf } from './projector.ts'
import { type ChannelFilter, findChannel, listChannels, listTags, servedModels } from './queries.ts'

export interface ChannelReadDeps {
  readonly pool: pg.Pool
  readonly names: Pick<Names, 'channels'>
  /** Channels with the keyword in their name, or as their whole key. */
  readonly searchChannels: (keyword: string) => Promise<readonly number[]>
  /** Every model that Tollgate knows of, whoever serves it. */
  readonly modelCatalogue: readonly CatalogueModel[]
}

export interface CatalogueModel {
  readonly id: string
  readonly ownedBy: string
}

const READS = ['channels'] as const
const listQuery = z.object({
  p: queryInt(),
  page_size: queryInt(),
  id_sort: queryFlag(),
  tag_mode: queryFlag(),
})
const searchQuery = z.object({
  keyword: queryText(),
  group: queryText(),
  model: queryText(),
  id_sort: queryFlag(),
  tag_mode: queryFlag(),
})

/** Reading channels and the models they serve (console-api 2.7). Keys never leave by GET (decision 18). */
export function channelReadRoutes(deps: ChannelReadDeps): readonly ApiRoute[] {
  const { pool } = deps
  const entities = async (rows: readonly ChannelRow[]): Promise<readonly object[]> => {
    const names = await deps.names.channels(rows.map((row) => row.channel_id))
    return rows.map((row) => channelEntity(row, names.get(row.channel_id) ?? ''))
  }
  return [
    route({
      method: 'GET',
      path: '/api/channel/',
      access: 'admin',
      summary: 'A page of channels, or of all channels of a page of tags; pages from 0',
      reads: READS,
      query: listQuery,
      handle: async ({ query }) => {
        const page = { page: Math.max(0, query.p), size: pageSize(query.page_size) }
        const order = { byId: query.id_sort }
        if (!query.tag_mode)
          return { data: await entities(await listChannels(pool, {}, order, page)) }
        const tags = await listTags(pool, {}, page)
        return { data: await entities(await listChannels(pool, { tags }, order, null)) }
      },
    }),
    route({
      method: 'GET',
      path: '/api/channel/search',
      access: 'admin',
      summary: 'Channels by id, name or key, by model and by group',
      reads: READS,
      query: searchQuery,
      handle: async ({ query }) => {
        const filter = await searchFilter(deps, query)
        const order = { byId: query.id_sort }
        if (!query.tag_mode) {
          return { data: await entities(await listChannels(pool, filter, order, null)) }
        }
        const tags = await listTags(pool, filter, null)
        return { data: await entities(await listChannels(pool, { tags }, order, null)) }
      },
    }),
    route({
      method: 'GET',
      path: '/api/channel/models',
      access: 'admin',
      summary: 'Every model that Tollgate knows of',
      handle: async () => ({ data: deps.modelCatalogue.map(modelEntity) }),
    }),
    route({
      method: 'GET',
      path: '/api/channel/models_enabled',
      access: 'admin',
      summary: 'Models that enabled channels serve',
      reads: READS,
      handle: async () => ({ data: (await servedModels(pool)).map(({ model }) => model) }),
    }),
    route({
      method: 'GET',
      path: '/api/channel/:id',
      access: 'admin',
      summary: 'One channel, without its key',
      reads: READS,
      params: idInPath,
      handle: async ({ params }) => {
        const row = await findChannel(pool, params.id)
        if (row === null) return failure('record not found')
        const [entity] = await entities([row])
        return { data: entity }
      },
    }),
  ]
}

async function searchFilter(
  { searchChannels }: ChannelReadDeps,
  { keyword, group, model }: z.output<typeof searchQuery>,
): Promise<ChannelFilter> {
  const numbered = /^\d{1,15}$/.test(keyword) ? [Number(keyword)] : []
  return {
    ...(keyword === '' ? {} : { ids: [...numbered, ...(await searchChannels(keyword))] }),
    ...(model === '' ? {} : { model }),
    ...(group === '' || group === 'null' ? {} : { group }),
  }
}

const STATUS_NUMBER = {
  enabled: 1,
  disabled: 2,
  'auto-disabled': 3,
} as const satisfies Record<LiveChannel['status'], number>

/** The channel object of console-api section 4, with all its fields; times in unix seconds. */
export function channelEntity(row: ChannelRow, name: string): object {
  const { status, terms, reason, statusAt, test, balance } = stateOf(row)
  return {
    id: row.channel_id,
    type: terms.type,
    key: '',
    openai_organization: terms.openaiOrganization,
    test_model: terms.testModel,
    status: STATUS_NUMBER[status],
    name,
    weight: terms.weight,
    created_time: Math.floor(row.created_at / 1000),
    test_time: Math.floor((test?.at ?? 0) / 1000),
    response_time: test?.durationMs ?? 0,
    base_url: terms.baseUrl,
    other: terms.other,
    balance: Number(balance?.usd ?? 0),
    balance_updated_time: Math.floor((balance?.at ?? 0) / 1000),
    models: terms.models.join(','),
    group: terms.groups.join(','),
    used_quota: row.used_quota,
    model_mapping: terms.modelMapping,
    status_code_mapping: terms.statusCodeMapping,
    priority: terms.priority,
    auto_ban: terms.autoBan ? 1 : 0,
    other_info:
      reason === ''
        ? ''
        : JSON.stringify({ status_reason: reason, status_time: Math.floor(statusAt / 1000) }),
    tag: terms.tag,
    setting: terms.setting,
    param_override: terms.paramOverride,
    max_input_tokens: 0,
  }
}

const modelEntity = ({ id, ownedBy }: CatalogueModel): object => ({
  id,
  object: 'model',
  created: 1_626_777_600,
  owned_by: ownedBy,
  permission: [],
  root: id,
  parent: null,
})
