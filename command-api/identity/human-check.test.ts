import { expect, test } from 'vitest'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { turnstileCheck } from './human-check.ts'

const checked = (isOn: boolean, answer: () => Promise<Response>) => {
  const asked: string[] = []
  const check = turnstileCheck({
    options: {
      current: () => optionsFrom([['TurnstileCheckEnabled', String(isOn)]]),
      secret: (key) => `secret of ${key}`,
    },
    fetch: (_url, init) => {
      if (init?.body instanceof URLSearchParams) asked.push(init.body.toString())
      return answer()
    },
  })
  return { check, asked }
}
const says = (body: unknown) => () => Promise.resolve(Response.json(body))

test('given the check is off, when somebody comes, then they are let on unasked', async () => {
  const { check, asked } = checked(false, says({ success: false }))
  expect(await check('', '192.0.2.1')).toBeNull()
  expect(asked).toEqual([])
})

test('given the check is on, when a token is right, then secret, token and address were sent and the human is let on', async () => {
  const { check, asked } = checked(true, says({ success: true }))
  expect(await check('t', '192.0.2.1')).toBeNull()
  expect(asked).toEqual(['secret=secret+of+TurnstileSecretKey&response=t&remoteip=192.0.2.1'])
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
    expect(await checked(true, answer).check(token, '192.0.2.1')).toBe(message)
  },
)
