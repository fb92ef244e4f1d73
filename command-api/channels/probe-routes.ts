import { z } from 'zod'
import {
  type ApiReply,
  type ApiRoute,
  callerOf,
  failure,
  route,
} from '@tollgate/domain/ports/api-route.ts'
import { ProbeFailed } from '@tollgate/domain/ports/channel-probe.ts'
import { int, lenientBody, text } from '../http/body.ts'
import { causeOf } from '../http/cause.ts'
import { idInPath, queryText } from '../http/query.ts'
import type { CommandCause } from '../ledger/cause.ts'
import { autoDisable } from './automatic-status.ts'
import { NEW_CHANNEL } from './channel-fields.ts'
import { executeOnChannel, loadChannel } from './channel-writer.ts'
import type { ChannelRouteDeps } from './deps.ts'
import { pause, testChannel, type TestOfAll } from './test-channel.ts'

const MODEL_NAMES = { data: z.array(z.string()) } as const
const NOT_FOUND = 'record not found'

/** What asks upstream itself: tests, model lists, balances (console-api 2.7). */
export const channelProbeRoutes = (
  deps: ChannelRouteDeps,
  tests: TestOfAll,
): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/channel/test',
    access: 'admin',
    changesState: true,
    reads: ['channels'],
    summary: 'Test all channels in the background',
    answer: {},
    handle: (request) =>
      Promise.resolve(
        tests.start(callerOf(request).userId, causeOf(request)) ? {} : failure('测试已在运行中'),
      ),
  }),
  route({
    method: 'GET',
    path: '/api/channel/test/:id',
    access: 'admin',
    changesState: true,
    summary: 'Test one channel; `time` in seconds',
    params: idInPath,
    query: z.object({ model: queryText() }),
    answer: { extra: { time: z.number() } },
    example: { params: { id: '3' }, query: { model: 'gpt-4o-mini' }, extra: { time: 0.64 } },
    handle: async (request) => {
      const { params, query } = request
      const { userId } = callerOf(request)
      const tested = await testChannel(deps, params.id, query.model, userId, causeOf(request))
      if (tested.status === 'refused') return { ...failure(tested.message), extra: { time: 0 } }
      const { probe, recorded } = tested
      return {
        success: probe.succeeded,
        message: probe.error,
        extra: { time: Math.round(probe.durationMs) / 1000 },
        ...(recorded.status === 'done' && { wrote: recorded.position }),
      }
    },
  }),
  route({
    method: 'GET',
    path: '/api/channel/fetch_models/:id',
    access: 'admin',
    summary: 'Models that upstream lists for a channel',
    params: idInPath,
    answer: MODEL_NAMES,
    example: { params: { id: '3' }, data: ['gpt-4o', 'gpt-4o-mini'] },
    handle: async ({ params: { id } }) => {
      const probed = await probedChannel(deps, id)
      if (probed === null) return failure(NOT_FOUND)
      return answered(async () => ({ data: await deps.probe.fetchModels(probed) }))
    },
  }),
  route({
    method: 'POST',
    path: '/api/channel/fetch_models',
    access: 'admin',
    summary: 'Models that upstream lists for a key that is not stored yet',
    body: lenientBody({ base_url: text(), type: int(), key: text() }),
    invalidBodyMessage: 'Invalid request',
    invalidBodyStatus: 400,
    answer: MODEL_NAMES,
    example: {
      body: { base_url: 'https://api.openai.com', type: 1, key: 'sk-…' },
      data: ['gpt-4o', 'gpt-4o-mini'],
    },
    handle: async ({ body }) => {
      const key = body.key.split('\n')[0]?.trim() ?? ''
      if (key === '') return failure('请填写密钥')
      const terms = {
        ...NEW_CHANNEL,
        type: body.type,
        baseUrl: body.base_url.trim().replace(/\/$/, ''),
      }
      try {
        return { data: await deps.probe.fetchModels({ id: 0, terms, key, proxy: '' }) }
      } catch (error) {
        if (error instanceof ProbeFailed) return failure('Failed to fetch models', 500)
        throw error
      }
    },
  }),
  route({
    method: 'GET',
    path: '/api/channel/update_balance/:id',
    access: 'admin',
    changesState: true,
    summary: "Read one channel's balance from upstream; `balance` in US dollars",
    params: idInPath,
    answer: { extra: { balance: z.number() } },
    example: { params: { id: '3' }, extra: { balance: 41.5 } },
    handle: async (request) => {
      const { id } = request.params
      return answered(() => readBalance(deps, id, causeOf(request)))
    },
  }),
  route({
    method: 'GET',
    path: '/api/channel/update_balance',
    access: 'admin',
    changesState: true,
    reads: ['channels'],
    summary:
      'Read the balances of all enabled channels; those without any are taken out of service',
    answer: {},
    handle: (request) => readAllBalances(deps, causeOf(request)),
  }),
]

async function probedChannel(deps: ChannelRouteDeps, id: number) {
  const [channel, secret] = await Promise.all([loadChannel(deps, id), deps.secrets.open(id)])
  if (channel === null || secret === null) return null
  return { id, terms: channel.terms, key: secret.key, proxy: secret.proxy }
}

async function readBalance(
  deps: ChannelRouteDeps,
  id: number,
  cause: CommandCause,
): Promise<ApiReply> {
  const probed = await probedChannel(deps, id)
  if (probed === null) return failure(NOT_FOUND)
  const balanceUsd = await deps.probe.readBalance(probed)
  const recorded = await executeOnChannel(deps, id, { type: 'RecordBalance', balanceUsd }, cause)
  return recorded.status === 'rejected'
    ? failure(recorded.message)
    : { extra: { balance: Number(balanceUsd) }, wrote: recorded.position }
}

/** Channels whose balance cannot be read are passed over, as a refresh of all is for those that can. */
async function readAllBalances(deps: ChannelRouteDeps, cause: CommandCause): Promise<ApiReply> {
  let wrote = -1
  const listed = await deps.channelList.all()
  for (const { id } of listed.filter(({ status }) => status === 'enabled')) {
    const reply = await answered(() => readBalance(deps, id, cause))
    if (reply.success !== false) {
      wrote = Math.max(wrote, reply.wrote ?? -1)
      if (Number(reply.extra?.['balance']) <= 0) {
        const why = { reason: '余额不足', upstreamStatus: null, bodyExcerpt: '' }
        const disabled = await autoDisable(deps, id, why)
        if (disabled.status === 'done') wrote = Math.max(wrote, disabled.position)
      }
    }
    await pause(deps.bulkPauseMs)
  }
  return wrote < 0 ? {} : { wrote }
}

/** What upstream's trouble says is for the admin to read. */
async function answered(ask: () => Promise<ApiReply>): Promise<ApiReply> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ProbeFailed) return failure(error.message)
    throw error
  }
}
