import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { credentialHeaders } from './credentials.ts'

const REQUEST = {
  method: 'POST',
  address: { origin: 'https://upstream.test', path: '/v1' },
  body: Buffer.alloc(0),
} as const

test('given a scheme, when signed, then the key is where that provider looks', () => {
  expect(credentialHeaders('bearer', 'k', 0, REQUEST)).toEqual({ authorization: 'Bearer k' })
  expect(credentialHeaders('api-key', 'k', 0, REQUEST)).toEqual({ 'api-key': 'k' })
})

test('given a Zhipu key, when signed, then it is a token of ten minutes by its secret', () => {
  const { authorization = '' } = credentialHeaders('zhipu-jwt', 'id.secret', 1_000, REQUEST)
  const [header, claims, signature] = authorization.split('.')
  const read = (part = ''): unknown => JSON.parse(Buffer.from(part, 'base64url').toString())
  expect(read(header)).toEqual({ alg: 'HS256', sign_type: 'SIGN' })
  expect(read(claims)).toEqual({ api_key: 'id', exp: 601_000, timestamp: 1_000 })
  expect(signature).toBe(
    createHmac('sha256', 'secret').update(`${header}.${claims}`).digest('base64url'),
  )
  expect(credentialHeaders('zhipu-jwt', 'plain', 0, REQUEST)).toEqual({ authorization: 'plain' })
})
