import { type ApiRoute, failure, route } from '@tollgate/command-api/http-contract/api-route.ts'
import {
  CHANNEL_SCHEMA,
  channelEntity,
  EXAMPLE_CHANNEL,
} from '@tollgate/command-api/http-contract/channel-entity.ts'
import type { CommonQueryMethods } from 'slonik'
import { z } from 'zod'
import type { Names } from '../http/names.ts'
import { idInPath, queryFlag, queryPage, queryPageSize, queryText } from '../http/query.ts'
import { type ChannelHistoryDeps, channelHistoryRoute } from './history-route.ts'
import { type ChannelRow, stateOf } from './projector.ts'
import { type ChannelFilter, findChannel, listChannels, listTags, servedModels } from './queries.ts'

export interface ChannelReadDeps extends ChannelHistoryDeps {
  readonly reads: CommonQueryMethods
  readonly names: Pick<Names, 'channels' | 'users'>
  /** Channels with the keyword in their name, or as their whole key. */
  readonly searchChannels: (keyword: string) => Promise<readonly number[]>
  /** Every model that Tollgate knows of, whoever serves it. */
  readonly modelCatalogue: readonly CatalogueModel[]
}

export interface CatalogueModel {
  readonly id: string
  readonly ownedBy: string
}

const channelAnswer = z.fromJSONSchema(CHANNEL_SCHEMA)
const catalogueAnswer = z.strictObject({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
  permission: z.array(z.unknown()),
  root: z.string(),
  parent: z.null(),
})
type ChannelEntity = ReturnType<typeof channelEntity>
/** All of them in one batch: nobody has more than some thousands. */
const CSV = {
  name: 'channels',
  columns: Object.keys(CHANNEL_SCHEMA.properties).filter((name) => name !== 'key'),
} as const
const READS = ['channels'] as const
const LIST_MODE = {
  id_sort: queryFlag().describe(
    'Whether the newest come first; default by priority, highest first',
  ),
  tag_mode: queryFlag().describe(
    'Whether pages and searches count tags, of which all channels are answered; default false',
  ),
} as const
const listQuery = z.object({
  p: queryPage(0),
  page_size: queryPageSize(),
  ...LIST_MODE,
})
const searchQuery = z.object({
  keyword: queryText().describe('Id, part of the name, or the whole key; empty finds all'),
  group: queryText().describe('Channels that serve this group; empty finds all'),
  model: queryText().describe('Channels that serve a model with this in its name; empty finds all'),
  ...LIST_MODE,
})

/** Reading channels and the models they serve (console-api 2.7). Keys never leave by GET (decision 18). */
export function channelReadRoutes(deps: ChannelReadDeps): readonly ApiRoute[] {
  const { reads } = deps
  const entities = async (rows: readonly ChannelRow[]): Promise<readonly ChannelEntity[]> => {
    const names = await deps.names.channels(rows.map((row) => row.channel_id))
    return rows.map((row) => entityOf(row, names.get(row.channel_id) ?? ''))
  }
  const searched = async (query: z.output<typeof searchQuery>): Promise<readonly ChannelRow[]> => {
    const filter = await searchFilter(deps, query)
    const order = { byId: query.id_sort }
    if (!query.tag_mode) return listChannels(reads, filter, order, null)
    const tags = await listTags(reads, filter, null)
    return listChannels(reads, { tags }, order, null)
  }
  return [
    route({
      method: 'GET',
      path: '/api/channel/',
      access: 'admin',
      summary: 'A page of channels, or of all channels of a page of tags; pages from 0',
      reads: READS,
      query: listQuery,
      csv: {
        ...CSV,
        async *batches({ query }: { readonly query: z.output<typeof listQuery> }) {
          yield await entities(await listChannels(reads, {}, { byId: query.id_sort }, null))
        },
      },
      answer: { data: z.array(channelAnswer) },
      example: { query: { p: '0', page_size: '10' }, data: [EXAMPLE_CHANNEL] },
      handle: async ({ query }) => {
        const page = { page: Math.max(0, query.p), size: query.page_size }
        const order = { byId: query.id_sort }
        if (!query.tag_mode)
          return { data: await entities(await listChannels(reads, {}, order, page)) }
        const tags = await listTags(reads, {}, page)
        return { data: await entities(await listChannels(reads, { tags }, order, null)) }
      },
    }),
    route({
      method: 'GET',
      path: '/api/channel/search',
      access: 'admin',
      summary: 'Channels by id, name or key, by model and by group',
      reads: READS,
      query: searchQuery,
      csv: {
        ...CSV,
        async *batches({ query }: { readonly query: z.output<typeof searchQuery> }) {
          yield await entities(await searched(query))
        },
      },
      answer: { data: z.array(channelAnswer) },
      example: {
        query: { keyword: 'open', group: 'vip', model: 'gpt-4o' },
        data: [EXAMPLE_CHANNEL],
      },
      handle: async ({ query }) => {
        return { data: await entities(await searched(query)) }
      },
    }),
    route({
      method: 'GET',
      path: '/api/channel/models',
      access: 'admin',
      summary: 'Every model that Tollgate knows of',
      answer: { data: z.array(catalogueAnswer) },
      example: { data: [modelEntity({ id: 'gpt-4o', ownedBy: 'openai' })] },
      handle: async () => ({ data: deps.modelCatalogue.map(modelEntity) }),
    }),
    route({
      method: 'GET',
      path: '/api/channel/models_enabled',
      access: 'admin',
      summary: 'Models that enabled channels serve',
      reads: READS,
      answer: { data: z.array(z.string()) },
      example: { data: ['gpt-4o', 'gpt-4o-mini'] },
      handle: async () => ({ data: (await servedModels(reads)).map(({ model }) => model) }),
    }),
    route({
      method: 'GET',
      path: '/api/channel/:id',
      access: 'admin',
      summary: 'One channel, without its key',
      reads: READS,
      params: idInPath('Id of the channel'),
      answer: { data: channelAnswer },
      example: { params: { id: '3' }, data: EXAMPLE_CHANNEL },
      handle: async ({ params }) => {
        if (params.id === 0) return failure('id 为空！')
        const row = await findChannel(reads, params.id)
        if (row === null) return failure('record not found')
        const [entity] = await entities([row])
        return { data: entity }
      },
    }),
    channelHistoryRoute(deps),
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

const entityOf = (row: ChannelRow, name: string): ChannelEntity =>
  channelEntity(row.channel_id, stateOf(row), {
    name,
    createdAtMs: row.created_at,
    usedQuota: row.used_quota,
  })

const modelEntity = ({ id, ownedBy }: CatalogueModel): object => ({
  id,
  object: 'model',
  created: 1_626_777_600,
  owned_by: ownedBy,
  permission: [],
  root: id,
  parent: null,
})
