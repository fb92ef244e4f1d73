import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import type { ChannelEvent } from '@tollgate/domain/channel/events.ts'
import type { Actor } from '@tollgate/domain/event.ts'
import { callerWith, callRoute, csvBatches } from '@tollgate/tests/support/command-api.ts'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { PLAIN_TERMS } from '@tollgate/tests/support/relay/relay-under-test.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { channelHistoryRoute } from './history-route.ts'
import { channels } from './projector.ts'

const AT = Date.UTC(2026, 0, 1)
const EXCERPT = '{"error":{}}'
let log: ProjectionLog
let routes: readonly ApiRoute[]

beforeAll(async () => {
  log = await openProjectionLog()
  const by = (actor: Actor, event: ChannelEvent) => log.appendBy(actor, 'channel-3', event)
  await by('user:7', { type: 'ChannelAdded', data: { at: AT, ...PLAIN_TERMS } })
  await by('user:7', { type: 'ChannelRevised', data: { at: AT + 1_000, ...PLAIN_TERMS } })
  await by('user:8', { type: 'ChannelDisabled', data: { at: AT + 2_000, reason: 'too dear' } })
  await by('user:7', { type: 'ChannelEnabled', data: { at: AT + 3_000 } })
  await by('system', {
    type: 'ChannelAutoDisabled',
    data: { at: AT + 4_000, reason: 'no such key', upstreamStatus: 401, bodyExcerpt: EXCERPT },
  })
  await by('user:7', { type: 'ChannelDeleted', data: { at: AT + 5_000 } })
  await log.append('channel-4', { type: 'ChannelAdded', data: { at: AT, ...PLAIN_TERMS } })
  await log.project([channels])
  const users = async (ids: readonly number[]) => new Map(ids.map((id) => [id, `user${id}`]))
  routes = [channelHistoryRoute({ reads: log.reads, names: { users } })]
})
afterAll(() => log.close())

interface Page {
  readonly items: readonly { readonly event: string; readonly revision: number }[]
  readonly next_before: number | null
}
const ROUTE = 'GET /api/channel/:id/history'
const call = (id: number, query: Readonly<Record<string, string>> = {}) => ({
  params: { id: String(id) },
  query,
  caller: callerWith(1, 10),
})
const read = async (id: number, query = {}): Promise<Page> =>
  (await callRoute(routes, ROUTE, call(id, query))).data as Page

test('given a deleted channel, when its history is read, then each change says when, by whom and why', async () => {
  expect(await read(3)).toMatchObject({
    items: [
      { event: 'ChannelDeleted', state: 'deleted', changed_at: AT / 1000 + 5, user_id: 7 },
      {
        event: 'ChannelAutoDisabled',
        state: 'auto-disabled',
        user_id: null,
        username: '',
        reason: 'no such key',
        upstream_status: 401,
        body_excerpt: EXCERPT,
      },
      { event: 'ChannelEnabled', state: 'enabled', upstream_status: null, reason: '' },
      { event: 'ChannelDisabled', state: 'disabled', username: 'user8', reason: 'too dear' },
      { event: 'ChannelAdded', state: 'enabled', revision: 0, username: 'user7' },
    ],
    next_before: null,
  })
})

test('given more changes than a page has, when read by pages or as a file, then all are there once', async () => {
  const seen: string[] = []
  let before: number | null = 0
  while (before !== null) {
    const page: Page = await read(3, { limit: '2', before: String(before) })
    seen.push(...page.items.map(({ event }) => event))
    before = page.next_before
  }
  expect(seen).toEqual([
    'ChannelDeleted',
    'ChannelAutoDisabled',
    'ChannelEnabled',
    'ChannelDisabled',
    'ChannelAdded',
  ])
  const batches = await Array.fromAsync(csvBatches(routes, ROUTE, call(3)))
  expect(batches.flat()).toEqual((await read(3)).items)
})

test.each([0, 987_654])(
  'given no channel %d, when its history is read, then it is not found',
  async (id) => {
    expect(await callRoute(routes, ROUTE, call(id))).toMatchObject({
      success: false,
      message: 'record not found',
    })
  },
)
