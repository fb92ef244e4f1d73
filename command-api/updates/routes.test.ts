import { callerWith, callRoute } from '@tollgate/tests/support/command-api.ts'
import { expect, test } from 'vitest'
import { OutgoingRefused } from '../http/outgoing-fetch.ts'
import { isNewer, updateRoute } from './routes.ts'

const URL = 'https://releases.example.com/latest'

const ask = (fetch: () => Promise<Response>, releasesUrl: string | null = URL) =>
  callRoute(
    [updateRoute({ version: '0.9.0', releasesUrl, fetch, log: { warn() {} } })],
    'GET /api/update',
    { caller: callerWith(1, 100) },
  )

test('given no address, when asked for updates, then it says which variable to set', async () => {
  expect(await ask(() => Promise.reject(new Error('nobody is asked')), null)).toMatchObject({
    success: false,
    message: '未配置更新检查地址，请设置环境变量 RELEASES_URL',
  })
})

test('given a release, when updates are checked, then version, notes and whether it is newer are answered', async () => {
  const release = { tag_name: 'v0.10.0', body: 'notes', html_url: 'https://x.example' }
  expect((await ask(async () => Response.json(release))).data).toEqual({
    current_version: '0.9.0',
    tag_name: 'v0.10.0',
    body: 'notes',
    is_newer: true,
  })
  const same = { tag_name: 'v0.9.0', body: null }
  expect((await ask(async () => Response.json(same))).data).toMatchObject({
    body: '',
    is_newer: false,
  })
})

test.each([
  [async () => new Response('no', { status: 503 }), '无法获取最新版本信息'],
  [() => Promise.reject(new TypeError('fetch failed')), '无法获取最新版本信息'],
  [async () => new Response('<html>'), '更新检查地址返回的不是版本信息'],
  [async () => Response.json({ tag_name: '' }), '更新检查地址返回的不是版本信息'],
  [() => Promise.reject(new OutgoingRefused('ADDRESS_PRIVATE', 'inside')), '该地址位于内网'],
] as const)(
  'given an address that fails, when asked for updates, then it says how',
  async (fetch, says) => {
    const reply = await ask(fetch)
    expect([reply.success, reply.message?.startsWith(says)]).toEqual([false, true])
  },
)

test.each([
  ['v0.10.0', '0.9.9', true],
  ['1.0.0', '0.9.9', true],
  ['v0.9.9', '0.9.9', false],
  ['v0.8.0', '0.9.0', false],
  ['nightly', '0.9.0', true],
])(
  'given the release %s and the version %s, when compared, then newer: %s',
  (tag, version, expected) => {
    expect(isNewer(tag, version)).toBe(expected)
  },
)
