import { afterAll, beforeAll, expect, test } from 'vitest'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { turnstileCheck } from './human-check.ts'
import { VISITOR_SECONDS, visitorRows, type Visitors } from './visitors.ts'

let fixture: CommandApiFixture
let visitors: Visitors

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  visitors = visitorRows(fixture)
})
afterAll(() => fixture.close())

const checked = (isOn: boolean, answer: () => Promise<Response>) => {
  const asked: string[] = []
  const check = turnstileCheck({
    options: {
      current: () => optionsFrom([['TurnstileCheckEnabled', String(isOn)]]),
      secret: (key) => `secret of ${key}`,
    },
    visitors,
    verifyUrl: 'https://turnstile.example/siteverify',
    fetch: (url, init) => {
      if (init?.body instanceof URLSearchParams)
        asked.push(`${String(url)}?${init.body.toString()}`)
      return answer()
    },
  })
  const checkOf = (turnstile: string, visitorToken: string | null = null) =>
    check({ turnstile, ip: '192.0.2.1', visitorToken })
  return { check: checkOf, asked }
}
const says = (body: unknown) => () => Promise.resolve(Response.json(body))
const tokenOf = (verdict: object): string =>
  (verdict as { readonly visitor?: { readonly token: string } }).visitor?.token ?? ''

test('given the check is off, when somebody comes, then they are let on unasked', async () => {
  const { check, asked } = checked(false, says({ success: false }))
  expect(await check('')).toEqual({ status: 'human' })
  expect(asked).toEqual([])
})

test('given the check is on, when a token is right, then secret, token and address were sent', async () => {
  const { check, asked } = checked(true, says({ success: true }))
  expect(await check('t')).toMatchObject({
    status: 'human',
    visitor: { maxAgeSeconds: VISITOR_SECONDS },
  })
  expect(asked).toEqual([
    'https://turnstile.example/siteverify?secret=secret+of+TurnstileSecretKey&response=t&remoteip=192.0.2.1',
  ])
})

test('given a human who has passed, when they come again, then nobody is asked until the time is up', async () => {
  const { check, asked } = checked(true, says({ success: true }))
  const visitor = tokenOf(await check('t'))
  expect(await check('', visitor)).toEqual({ status: 'human' })
  expect(await check('t', visitor)).toEqual({ status: 'human' })
  expect(asked).toHaveLength(1)
  expect(await check('', 'another browser')).toMatchObject({ status: 'refused' })
  fixture.pass(VISITOR_SECONDS * 1000)
  expect(await check('', visitor)).toMatchObject({ status: 'refused' })
})

test.each([
  ['', says({ success: true }), 'Turnstile token 为空'],
  ['t', says({ success: false }), 'Turnstile 校验失败，请刷新重试！'],
  ['t', says({ success: 'yes' }), 'Turnstile 校验失败，请刷新重试！'],
  ['t', () => Promise.resolve(new Response('<html>')), '无法连接至 Turnstile 服务器，请稍后重试！'],
  [
    't',
    () => Promise.reject(new TypeError('fetch failed')),
    '无法连接至 Turnstile 服务器，请稍后重试！',
  ],
])(
  'given the token %j and an answer, when checked, then %s refuses',
  async (token, answer, message) => {
    expect(await checked(true, answer).check(token)).toEqual({ status: 'refused', message })
  },
)
