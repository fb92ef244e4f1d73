import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { callerWith, callRoute } from '@tollgate/tests/support/command-api.ts'
import { expect, test } from 'vitest'
import { type OutgoingFetch, OutgoingRefused } from '../http/outgoing-fetch.ts'
import { discoveryRoute } from './discovery-route.ts'

const ADDRESS = 'https://idp.example.com/.well-known/openid-configuration'
const DOCUMENT = {
  issuer: 'https://idp.example.com',
  authorization_endpoint: 'https://idp.example.com/authorize',
  token_endpoint: 'https://idp.example.com/token',
  userinfo_endpoint: 'https://idp.example.com/userinfo',
}

const ask = (fetch: OutgoingFetch, well_known: string, saved = '') =>
  callRoute(
    [
      discoveryRoute({
        fetch,
        options: { current: () => optionsFrom([['oidc.well_known', saved]]) },
        log: { warn() {} },
      }),
    ],
    'POST /api/option/oidc_discovery',
    { body: { well_known }, caller: callerWith(1, 100) },
  )

test('given a provider, when its document is read, then the given or the saved address is used', async () => {
  const asked: string[] = []
  const fetch: OutgoingFetch = async (address) => {
    asked.push(String(address))
    return Response.json(DOCUMENT)
  }
  const endpoints = {
    issuer: DOCUMENT.issuer,
    authorization_endpoint: DOCUMENT.authorization_endpoint,
    token_endpoint: DOCUMENT.token_endpoint,
    user_info_endpoint: DOCUMENT.userinfo_endpoint,
  }
  expect((await ask(fetch, ` ${ADDRESS} `)).data).toEqual(endpoints)
  expect((await ask(fetch, '', `${ADDRESS}?saved`)).data).toEqual(endpoints)
  expect(asked).toEqual([ADDRESS, `${ADDRESS}?saved`])
})

test.each([
  ['', async () => Response.json(DOCUMENT), '请填写 OIDC 的 Well-Known URL'],
  [
    'idp.example.com',
    async () => Response.json(DOCUMENT),
    'oidc.well_known 不是有效的地址，请以 http:// 或 https:// 开头',
  ],
  [
    ADDRESS,
    () => Promise.reject(new OutgoingRefused('ADDRESS_PRIVATE', 'inside')),
    '该地址位于内网，请更换地址，或开启 fetch_setting.allow_private_addresses',
  ],
  [
    ADDRESS,
    () => Promise.reject(new TypeError('fetch failed')),
    '无法连接至 OIDC 服务器，请稍后重试！',
  ],
  [
    ADDRESS,
    async () => new Response('no', { status: 502 }),
    '无法连接至 OIDC 服务器，请稍后重试！',
  ],
  [
    ADDRESS,
    async () => Response.json({ hello: 'world' }),
    '该地址返回的不是 OIDC 发现文档，请检查 Well-Known URL',
  ],
] as const)(
  'given %j and what it answers, when discovered, then the failure says what is wrong',
  async (address, fetch, message) => {
    expect(await ask(fetch, address)).toMatchObject({ success: false, message })
  },
)
