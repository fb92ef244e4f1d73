import { performance } from 'node:perf_hooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import {
  startProviderServer,
  type ProviderServer,
} from '@tollgate/tests/support/providers/provider-server.ts'
import { openOAuthFixture } from '@tollgate/tests/support/oauth-fixture.ts'
import { askProvider, PROVIDER_TIMEOUT_MS } from './ask-provider.ts'

let server: ProviderServer

beforeAll(async () => {
  server = await startProviderServer({})
})
afterAll(() => server.stop())

const shape = z.object({ id: z.int() })

test('given a server that never answers, when any provider is asked, then the user is told within seconds', async () => {
  server.behave('hanging')
  const fixture = await openOAuthFixture()
  await fixture.set({
    GitHubServerAddress: server.url,
    LinuxDOServerAddress: server.url,
    GitHubClientId: 'id',
    GitHubClientSecret: 'secret',
    GitHubOAuthEnabled: 'true',
    LinuxDOClientId: 'id',
    LinuxDOClientSecret: 'secret',
    LinuxDOOAuthEnabled: 'true',
    WeChatServerAddress: server.url,
    WeChatServerToken: 'token',
    WeChatAuthEnabled: 'true',
    'oidc.client_id': 'id',
    'oidc.client_secret': 'secret',
    'oidc.well_known': `${server.url}/.well-known/openid-configuration`,
    'oidc.enabled': 'true',
  })
  const callback = (name: string) => `GET /api/oauth/${name}` as const
  const comeBack = (name: string) => fixture.comeBack(callback(name), () => 'code')
  const start = performance.now()
  const replies = await Promise.all([
    comeBack('github'),
    comeBack('linuxdo'),
    comeBack('oidc'),
    fixture.call(callback('wechat'), { query: { code: 'code' } }),
  ])
  expect(replies.map(({ message }) => message)).toEqual([
    '无法连接至 GitHub 服务器，请稍后重试！',
    'failed to connect to Linux DO server',
    '无法连接至 OIDC 服务器，请稍后重试！',
    '无法连接至微信服务器，请稍后重试！',
  ])
  expect(performance.now() - start).toBeLessThan(2 * PROVIDER_TIMEOUT_MS)
  await fixture.close()
})

test('given a redirect, when asked, then secrets do not follow it', async () => {
  const asked: unknown[] = []
  const fetching: typeof fetch = (address, init) => {
    asked.push(address)
    expect(init?.redirect).toBe('error')
    return Promise.reject(new TypeError('unexpected redirect'))
  }
  expect(await askProvider(fetching, 'https://provider.example/?code=secret', {}, shape)).toEqual({
    status: 'unreachable',
    reason: 'https://provider.example/: unexpected redirect',
  })
  expect(asked).toEqual(['https://provider.example/?code=secret'])
})

test.each([
  [new Response('{"id":7}'), { status: 'answered', value: { id: 7 } }],
  [new Response('{"id":"7"}'), { status: 'unfit' }],
  [new Response('<html>'), { status: 'unfit' }],
  [new Response('{"id":7}', { status: 503 }), { status: 'unreachable' }],
])('given an answer, when asked, then it is read as it should be', async (answer, expected) => {
  const asked = await askProvider(
    () => Promise.resolve(answer),
    'https://provider.example/',
    {},
    shape,
  )
  expect(asked).toMatchObject(expected)
})
