import { channelStream } from '@tollgate/domain/event.ts'
import { isDueForTest } from '@tollgate/domain/channel/recovery.ts'
import type { ApiReply } from '@tollgate/command-api/http-contract/api-route.ts'
import {
  type ProbedChannel,
  ProbeFailed,
  type ProbeOutcome,
} from '@tollgate/domain/ports/channel-probe.ts'
import type { TestOfChannel } from '@tollgate/domain/ports/channel-telemetry.ts'
import {
  callerWith,
  callRoute,
  type CommandApiFixture,
  openCommandApiFixture,
} from './command-api.ts'
import { expect } from 'vitest'
import { z } from 'zod'
import { aggregateMemory } from '@tollgate/command-api/aggregates/aggregate.ts'
import type { CommandCause } from '@tollgate/command-api/aggregates/cause.ts'
import { changeOption } from '@tollgate/command-api/options/change-option.ts'
import { followOptions, type LiveOptions } from '@tollgate/command-api/options/live-options.ts'
import { channelSecrets } from '@tollgate/command-api/secrets/channel-secrets.ts'
import { optionSecrets } from '@tollgate/command-api/secrets/option-secrets.ts'
import { loadChannel } from '@tollgate/command-api/channels/channel-writer.ts'
import type { ChannelRouteDeps, ListedChannel } from '@tollgate/command-api/channels/deps.ts'
import { channelRoutes } from '@tollgate/command-api/channels/routes.ts'
import { type TestOfAll, testOfAll } from '@tollgate/command-api/channels/test-of-all.ts'

export const FINE: ProbeOutcome = {
  succeeded: true,
  durationMs: 1234.4,
  error: '',
  remark: '',
  upstreamStatus: 200,
  bodyExcerpt: '',
  banWorthy: false,
  promptTokens: 8,
  completionTokens: 1,
}
export const USELESS: ProbeOutcome = {
  ...FINE,
  succeeded: false,
  error: 'Incorrect API key provided',
  upstreamStatus: 401,
  bodyExcerpt: '{"error":{}}',
  banWorthy: true,
  promptTokens: null,
  completionTokens: null,
}

/** The answers that a test gives upstream. */
export interface UpstreamUnderTest {
  outcome: (
    channel: ProbedChannel,
    model: string,
    signal?: AbortSignal,
  ) => ProbeOutcome | Promise<ProbeOutcome>
  balanceUsd: string | ProbeFailed
}

type Rest = Omit<NonNullable<Parameters<typeof callRoute>[2]>, 'sessionToken'>

/** For tests: the channel calls over a real log, with an upstream that answers what the test says. */
export interface ChannelsUnderTest {
  readonly fixture: CommandApiFixture
  readonly deps: ChannelRouteDeps
  readonly options: LiveOptions
  readonly tests: TestOfAll
  readonly upstream: UpstreamUnderTest
  /** Causes that tests of all channels reported. */
  readonly allTested: CommandCause[]
  /** Looks at channels that were no events. */
  readonly recorded: {
    readonly tests: TestOfChannel[]
    readonly balances: { readonly channel: number; readonly balanceUsd: string }[]
  }
  /** Warnings that were logged; any left at the end fail the test that closes. */
  readonly warnings: object[]
  /** Calls as an admin (role 10), unless the call names another caller. */
  call(name: Parameters<typeof callRoute>[1], rest?: Rest): Promise<ApiReply>
  create(body: object): Promise<ApiReply>
  put(body: object): Promise<ApiReply>
  /** Adds a channel and answers its id. */
  made(body?: object): Promise<number>
  listed(): Promise<readonly ListedChannel[]>
  typesOf(id: number): Promise<readonly string[]>
  statusOf(id: number): Promise<string | undefined>
  option(key: string, text: string): Promise<void>
  /** No channels, and an upstream that is fine. */
  reset(): Promise<void>
  close(): Promise<void>
}

export async function openChannelsUnderTest(): Promise<ChannelsUnderTest> {
  const fixture = await openCommandApiFixture()
  const secrets = channelSecrets(fixture.db, fixture.vault, fixture.clock)
  const optionsDeps = { ...fixture, secrets: optionSecrets(fixture.db, fixture.vault) }
  const options = await followOptions(optionsDeps)
  const admin = callerWith(9, 10)
  const upstream: UpstreamUnderTest = { outcome: () => FINE, balanceUsd: '12.5' }
  const allTested: CommandCause[] = []
  const warnings: object[] = []
  const recorded: ChannelsUnderTest['recorded'] = { tests: [], balances: [] }
  const claimed = new Set<string>()
  const deps: ChannelRouteDeps = {
    ...fixture,
    memory: aggregateMemory(100),
    secrets,
    options,
    bulkPauseMs: 0,
    log: { warn: (facts) => void warnings.push(facts) },
    probe: {
      test: async (channel, model, signal) => upstream.outcome(channel, model, signal),
      fetchModels: ({ key }) =>
        key === 'bad'
          ? Promise.reject(new ProbeFailed('status code: 401'))
          : Promise.resolve(['m1', key]),
      async readBalance() {
        if (typeof upstream.balanceUsd !== 'string') throw upstream.balanceUsd
        return upstream.balanceUsd
      },
    },
    telemetry: {
      recordTest: async (test) => void recorded.tests.push(test),
      recordBalance: async (channel, { balanceUsd }) =>
        void recorded.balances.push({ channel, balanceUsd }),
    },
    channelList: {
      all: listed,
      dueForTest,
      usedQuota: () => Promise.resolve(77),
    },
    async claimWork(name) {
      if (claimed.has(name)) return null
      claimed.add(name)
      const release = async (): Promise<void> => void claimed.delete(name)
      return { signal: new AbortController().signal, release }
    },
    addressProblem: async (address, reach) => {
      if (address.includes('//169.254.')) return 'metadata'
      const isInside =
        address.includes('//10.') || (reach === 'public' && address.includes('//192.168.'))
      return isInside ? 'private' : null
    },
    defaultBaseUrl: (type) => (type === 4 ? 'http://192.168.0.4:11434' : ''),
    onAllTested: async (run) => void allTested.push(run),
    ending: fixture.signal,
  }
  const tests = testOfAll(deps)
  const routes = channelRoutes(deps, tests)

  /** The read model is another package's: here the streams themselves are read. */
  async function live() {
    const { rows } = await fixture.pool.query<{ id: string | number }>(
      'select id from secrets.channels where deleted_at is null order by id',
    )
    const ids = rows.map(({ id }) => Number(id))
    const channels = await Promise.all(
      ids.map(async (id) => ({ id, channel: await loadChannel(deps, id) })),
    )
    return channels.flatMap(({ id, channel }) => (channel === null ? [] : [{ id, channel }]))
  }
  async function listed(): Promise<readonly ListedChannel[]> {
    return (await live()).map(({ id, channel }) => ({
      id,
      status: channel.status,
      tag: channel.terms.tag,
    }))
  }
  async function dueForTest(now: number): Promise<readonly number[]> {
    return (await live()).filter(({ channel }) => isDueForTest(channel, now)).map(({ id }) => id)
  }
  const call: ChannelsUnderTest['call'] = (name, rest = {}) =>
    callRoute(routes, name, { caller: admin, ...rest })
  const create = (body: object): Promise<ApiReply> =>
    call('POST /api/channel', {
      body: { name: 'c', type: 1, key: 'sk-1', models: 'gpt-4o', ...body },
    })
  return {
    fixture,
    deps,
    options,
    tests,
    upstream,
    allTested,
    recorded,
    warnings,
    call,
    create,
    put: (body) => call('PUT /api/channel', { body }),
    async made(body = {}) {
      const { data } = await create(body)
      return z.object({ id: z.number() }).parse(data).id
    },
    listed,
    typesOf: async (id) => (await fixture.eventsOf(channelStream(id))).map(({ type }) => type),
    statusOf: async (id) => (await loadChannel(deps, id))?.status,
    async option(key, text) {
      const cause = { actor: 'system', correlationId: 'test', causationId: null } as const
      const outcome = await changeOption(optionsDeps, { key, text }, cause)
      if (outcome.status === 'done') await options.waitFor(outcome.position)
    },
    async reset() {
      upstream.outcome = () => FINE
      upstream.balanceUsd = '12.5'
      allTested.length = 0
      recorded.tests.length = 0
      recorded.balances.length = 0
      const ids = (await listed()).map(({ id }) => id)
      if (ids.length > 0) await call('POST /api/channel/batch', { body: { ids } })
    },
    async close() {
      await tests.idle()
      await fixture.close()
      expect(warnings).toEqual([])
    },
  }
}
