import { CHANNEL_NUMBER_MAX, PRIORITY_MIN } from '@tollgate/domain/channel/terms.ts'
import { z } from 'zod'
import type { ChannelCommand } from '@tollgate/domain/channel/decider.ts'
import type { ChannelTerms } from '@tollgate/domain/channel/events.ts'
import { type ApiReply, type ApiRoute, failure, route } from '../http-contract/api-route.ts'
import { int, intList, lenientBody, optional, text } from '../http/body.ts'
import { causeOf } from '../http/cause.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import {
  type ChannelOutcome,
  deleteChannel,
  executeOnChannel,
  loadChannel,
  refusalProblem,
} from './channel-writer.ts'
import { given } from './channel-fields.ts'
import type { ChannelRouteDeps } from './deps.ts'

const INVALID = '参数错误'
/** Each of them is decided on by itself, some ten milliseconds each. */
const IDS_MAX = 1_000
const TOO_MANY = '一次最多处理 1000 个渠道，请分批操作'
const COUNT = { data: z.int() } as const
const READS = ['channels'] as const

/** Routes that change many channels at once: by ids, by tag, by status (console-api 2.7). */
export const channelBulkRoutes = (deps: ChannelRouteDeps): readonly ApiRoute[] => [
  route({
    method: 'DELETE',
    path: '/api/channel/disabled',
    access: 'admin',
    reads: READS,
    summary: 'Delete all channels that are switched off or were taken out of service',
    answer: COUNT,
    example: { data: 2 },
    handle: async (request) => {
      const listed = await deps.channelList.all()
      const ids = listed.filter(({ status }) => status !== 'enabled').map(({ id }) => id)
      return deleteAll(deps, ids, causeOf(request))
    },
  }),
  route({
    method: 'POST',
    path: '/api/channel/batch',
    access: 'admin',
    reads: READS,
    summary: 'Delete channels by ids, up to 1000',
    body: lenientBody({ ids: channelIds() }),
    invalidBodyMessage: INVALID,
    answer: COUNT,
    example: { body: { ids: [3, 4] }, data: 2 },
    handle: async (request) => {
      const { ids } = request.body
      if (ids.length === 0) return failure(INVALID)
      if (ids.length > IDS_MAX) return failure(TOO_MANY)
      const reply = await deleteAll(deps, await thoseThere(deps, ids), causeOf(request))
      return { ...reply, data: ids.length }
    },
  }),
  route({
    method: 'POST',
    path: '/api/channel/batch/tag',
    access: 'admin',
    reads: READS,
    summary: 'Give channels, up to 1000, a tag, or with null take it away',
    body: lenientBody({ ids: channelIds(), tag: tagOrNull() }),
    invalidBodyMessage: INVALID,
    answer: COUNT,
    example: { body: { ids: [3, 4], tag: 'openai' }, data: 2 },
    handle: async (request) => {
      const { ids, tag } = request.body
      if (ids.length === 0) return failure(INVALID)
      if (ids.length > IDS_MAX) return failure(TOO_MANY)
      if (tag?.trim() === '') return failure('标签不能为空！')
      const known = await thoseThere(deps, ids)
      const reply = await reviseAll(deps, known, { tag: tag ?? '' }, causeOf(request))
      return reply.success === false ? reply : { ...reply, data: ids.length }
    },
  }),
  tagRoute(deps),
  tagSwitchRoute(deps, 'enabled', { type: 'EnableChannel' }),
  tagSwitchRoute(deps, 'disabled', { type: 'DisableChannel', reason: '' }),
  route({
    method: 'POST',
    path: '/api/channel/fix',
    access: 'admin',
    reads: READS,
    summary: 'Count the channels; what routes requests follows from events and needs no repair',
    answer: COUNT,
    example: { data: 12 },
    handle: async () => ({ data: (await deps.channelList.all()).length }),
  }),
]

const tagRoute = (deps: ChannelRouteDeps): ApiRoute =>
  route({
    method: 'PUT',
    path: '/api/channel/tag',
    access: 'admin',
    reads: READS,
    summary: 'Change all channels of a tag; an empty new_tag dissolves it',
    body: lenientBody({
      tag: channelTag(),
      new_tag: optional(text()).describe(
        'Tag that they get instead; empty = none, absent = unchanged',
      ),
      model_mapping: text().describe(
        'JSON object: the model that is asked for to the one that upstream is sent; empty = unchanged',
      ),
      models: text().describe('Models that they serve, joined by commas; empty = unchanged'),
      groups: text().describe('Groups that they serve, joined by commas; empty = unchanged'),
      priority: optional(int()).meta({
        description: 'Channels of a higher priority are tried first; absent = unchanged',
        minimum: PRIORITY_MIN,
        maximum: CHANNEL_NUMBER_MAX,
      }),
      weight: optional(int()).meta({
        description:
          'Share of the requests among channels of the same priority; absent = unchanged',
        minimum: 0,
        maximum: CHANNEL_NUMBER_MAX,
      }),
    }),
    invalidBodyMessage: INVALID,
    answer: {},
    example: { body: { tag: 'openai', new_tag: 'main', priority: 10 } },
    handle: async (request) => {
      const { body } = request
      if (body.tag === '') return failure('tag不能为空')
      if (isWithoutChange(body)) return failure('没有任何修改！')
      const changes = given({
        tag: body.new_tag,
        modelMapping: body.model_mapping === '' ? undefined : body.model_mapping,
        models: body.models === '' ? undefined : body.models.split(','),
        groups: body.groups === '' ? undefined : body.groups.split(','),
        priority: body.priority,
        weight: body.weight,
      })
      return reviseAll(deps, await idsWithTag(deps, body.tag), changes, causeOf(request))
    },
  })

/** Missing is blank, which is refused; null takes the tag away. */
const tagOrNull = () => text().nullable().describe('Tag that the channels get; null = none')

const channelTag = () => text().meta({ description: 'Tag of the channels to change', minLength: 1 })

const channelIds = () =>
  intList().meta({
    description: 'Ids of channels; those that do not exist are passed over',
    minItems: 1,
    maxItems: IDS_MAX,
  })

interface TagForm {
  readonly tag: string
  readonly new_tag?: string | undefined
  readonly model_mapping: string
  readonly models: string
  readonly groups: string
  readonly priority?: number | undefined
  readonly weight?: number | undefined
}

const isWithoutChange = (form: TagForm): boolean =>
  (form.new_tag ?? form.tag) === form.tag &&
  [form.model_mapping, form.models, form.groups].every((text) => text === '') &&
  form.priority === undefined &&
  form.weight === undefined

const tagSwitchRoute = (
  deps: ChannelRouteDeps,
  status: 'enabled' | 'disabled',
  command: ChannelCommand,
): ApiRoute =>
  route({
    method: 'POST',
    path: `/api/channel/tag/${status}`,
    access: 'admin',
    reads: READS,
    summary: `Switch all channels of a tag ${status === 'enabled' ? 'on' : 'off'}`,
    body: lenientBody({ tag: channelTag() }),
    invalidBodyMessage: INVALID,
    answer: {},
    example: { body: { tag: 'openai' } },
    handle: async (request) => {
      const { tag } = request.body
      if (tag === '') return failure(INVALID)
      const cause = causeOf(request)
      const outcomes = await eachOf(await idsWithTag(deps, tag), (id) =>
        executeOnChannel(deps, { id, command }, cause),
      )
      return writtenBy(outcomes)
    },
  })

/** Those of the ids that are channels, each once. */
async function thoseThere(
  deps: ChannelRouteDeps,
  ids: readonly number[],
): Promise<readonly number[]> {
  const listed = new Set((await deps.channelList.all()).map(({ id }) => id))
  return [...new Set(ids)].filter((id) => listed.has(id))
}

async function idsWithTag(deps: ChannelRouteDeps, tag: string): Promise<readonly number[]> {
  const listed = await deps.channelList.all()
  return listed.filter((channel) => channel.tag === tag).map(({ id }) => id)
}

/** Answers how many went; one that is gone already counts as none. */
async function deleteAll(
  deps: ChannelRouteDeps,
  ids: readonly number[],
  cause: CommandCause,
): Promise<ApiReply> {
  const outcomes = await eachOf(ids, (id) => deleteChannel(deps, id, cause))
  const count = outcomes.filter(({ status }) => status === 'done').length
  return { data: count, ...writtenBy(outcomes) }
}

/** All or none as far as the rules go: every change is tried before the first is made. Channels that are gone are left out. */
async function reviseAll(
  deps: ChannelRouteDeps,
  ids: readonly number[],
  changes: Partial<ChannelTerms>,
  cause: CommandCause,
): Promise<ApiReply> {
  const command = { type: 'ReviseChannel', changes } as const
  const wanted: number[] = []
  for (const id of ids) {
    if ((await loadChannel(deps, id)) === null) continue
    const refusal = await refusalProblem(deps, id, command)
    if (refusal !== null) return failure(`#${id}: ${refusal}`)
    wanted.push(id)
  }
  return writtenBy(await eachOf(wanted, (id) => executeOnChannel(deps, { id, command }, cause)))
}

async function eachOf<Result>(
  ids: readonly number[],
  task: (id: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const id of ids) results.push(await task(id))
  return results
}

function writtenBy(outcomes: readonly ChannelOutcome[]): ApiReply {
  const positions = outcomes.map((one) => (one.status === 'done' ? one.position : -1))
  const wrote = Math.max(-1, ...positions)
  return wrote < 0 ? {} : { wrote }
}
