import { CHANNEL_TYPES } from '@tollgate/domain/channel/terms.ts'
import { z } from 'zod'
import {
  type ApiReply,
  type ApiRequest,
  type ApiRoute,
  callerOf,
  failure,
  route,
} from '../http-contract/api-route.ts'
import { ProbeFailed } from '@tollgate/domain/ports/channel-probe.ts'
import { codedFailure } from '../http-contract/failure-code.ts'
import { int, lenientBody, text } from '../http/body.ts'
import { causeOf } from '../http/cause.ts'
import { idInPath, queryText } from '../http/query.ts'
import { NEW_CHANNEL } from './channel-fields.ts'
import type { ChannelRouteDeps } from './deps.ts'
import { openChannel } from './open-channel.ts'
import { addressInUse, reachOf, destinationProblem } from './private-address.ts'
import { type HowToRead, readAllBalances, readBalance } from './read-balance.ts'
import { testChannel } from './test-channel.ts'
import type { TestOfAll } from './test-of-all.ts'

const MODEL_NAMES = { data: z.array(z.string()) } as const
const NO_ID = 'id 为空！'

/** Routes that ask upstream itself: tests, model lists, balances (console-api 2.7). */
export const channelProbeRoutes = (
  deps: ChannelRouteDeps,
  tests: TestOfAll,
): readonly ApiRoute[] => [...testRoutes(deps, tests), ...modelRoutes(deps), ...balanceRoutes(deps)]

const testRoutes = (deps: ChannelRouteDeps, tests: TestOfAll): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/channel/test',
    access: 'admin',
    changesState: true,
    reads: ['channels'],
    summary: 'Test all channels in the background',
    answer: {},
    handle: async (request) => {
      const isStarted = await tests.start(callerOf(request), causeOf(request))
      return isStarted ? {} : failure('测试已在运行中')
    },
  }),
  route({
    method: 'GET',
    path: '/api/channel/test/:id',
    access: 'admin',
    changesState: true,
    summary:
      'Test one channel; `time` in seconds; after a success `message` is a remark or empty, a remark has `code` and `params`',
    params: idInPath('Id of the channel'),
    query: z.object({
      model: queryText().describe(
        'Model to call; empty = the channel’s test_model, else the first that it serves',
      ),
    }),
    answer: {
      extra: {
        time: z.number(),
        code: z.string().optional(),
        params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
      },
    },
    example: { params: { id: '3' }, query: { model: 'gpt-4o-mini' }, extra: { time: 0.64 } },
    handle: async (request) => {
      const { params, query } = request
      if (params.id === 0) return { ...failure(NO_ID), extra: { time: 0 } }
      const { userId, role } = callerOf(request)
      const how = {
        model: query.model,
        testedBy: userId,
        reach: reachOf(role),
        cause: causeOf(request),
        signal: deps.ending,
      }
      const tested = await testChannel(deps, params.id, how)
      if (tested.status === 'refused') return { ...failure(tested.message), extra: { time: 0 } }
      const { probe, recorded } = tested
      const time = Math.round(probe.durationMs) / 1000
      return {
        success: probe.succeeded,
        message: probe.succeeded ? probe.remark : probe.error,
        extra: {
          time,
          ...(probe.succeeded && probe.remark !== '' && codedFailure(probe.remark)),
        },
        ...(recorded.status === 'done' && { wrote: recorded.position }),
      }
    },
  }),
]

const modelRoutes = (deps: ChannelRouteDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/channel/fetch_models/:id',
    access: 'admin',
    summary: 'Models that upstream lists for a channel',
    params: idInPath('Id of the channel'),
    answer: MODEL_NAMES,
    example: { params: { id: '3' }, data: ['gpt-4o', 'gpt-4o-mini'] },
    handle: async (request) => {
      const { id } = request.params
      if (id === 0) return failure(NO_ID)
      const opened = await openChannel(deps, id, reachOf(callerOf(request).role))
      if (opened.status === 'refused') return failure(opened.message)
      return answered(async () => ({ data: await deps.probe.fetchModels(opened.probed) }))
    },
  }),
  route({
    method: 'POST',
    path: '/api/channel/fetch_models',
    access: 'admin',
    summary: 'Models that upstream lists for a key that is not stored yet',
    body: lenientBody({
      base_url: text().describe('Address of upstream; empty = the type’s own'),
      type: int().meta({
        description: 'Number of the provider whose protocol is spoken, such as 1 = OpenAI',
        enum: CHANNEL_TYPES,
      }),
      key: text().describe('Provider’s key; of several lines the first is used'),
    }),
    invalidBodyMessage: 'Invalid request',
    invalidBodyStatus: 400,
    answer: MODEL_NAMES,
    example: {
      body: { base_url: 'https://api.openai.com', type: 1, key: 'sk-…' },
      data: ['gpt-4o', 'gpt-4o-mini'],
    },
    handle: async (request) => {
      const { body } = request
      const reach = reachOf(callerOf(request).role)
      const key = body.key.split('\n')[0]?.trim() ?? ''
      if (key === '') return failure('请填写密钥')
      const terms = {
        ...NEW_CHANNEL,
        type: body.type,
        baseUrl: body.base_url.trim().replace(/\/$/, ''),
      }
      const refusal = await destinationProblem(deps, reach, [addressInUse(deps, terms)])
      if (refusal !== null) return failure(refusal)
      try {
        return { data: await deps.probe.fetchModels({ id: 0, terms, key, proxy: '', reach }) }
      } catch (error) {
        if (error instanceof ProbeFailed) return failure('Failed to fetch models', 500)
        throw error
      }
    },
  }),
]

const balanceRoutes = (deps: ChannelRouteDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/channel/update_balance/:id',
    access: 'admin',
    changesState: true,
    summary: "Read one channel's balance from upstream; `balance` in US dollars",
    params: idInPath('Id of the channel'),
    answer: { extra: { balance: z.number() } },
    example: { params: { id: '3' }, extra: { balance: 41.5 } },
    handle: async (request) => {
      if (request.params.id === 0) return failure(NO_ID)
      const read = await readBalance(deps, request.params.id, howToRead(deps, request))
      return read.status === 'refused'
        ? failure(read.message)
        : { extra: { balance: Number(read.balanceUsd) }, wrote: read.position }
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
    handle: async (request) => {
      const wrote = await readAllBalances(deps, howToRead(deps, request))
      return wrote === null ? {} : { wrote }
    },
  }),
]

const howToRead = (deps: ChannelRouteDeps, request: ApiRequest): HowToRead => ({
  reach: reachOf(callerOf(request).role),
  cause: causeOf(request),
  signal: deps.ending,
})

/** Answers a failed probe with upstream's own words: they are for the admin to read. */
async function answered(ask: () => Promise<ApiReply>): Promise<ApiReply> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ProbeFailed) return failure(error.message)
    throw error
  }
}
