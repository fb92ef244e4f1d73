import { expect, test } from 'vitest'
import { serverAddresses } from './server-addresses.ts'

test('given one address, when read, then port and credentials have defaults', () => {
  expect(serverAddresses('nats://localhost')).toEqual({
    servers: ['localhost:4222'],
    user: null,
    password: null,
    token: null,
    isEncrypted: false,
  })
})

test('given several addresses, when read, then the first credentials hold for all', () => {
  expect(serverAddresses('nats://a:1, tls://us%40er:p%2Fw@[::1]:2,nats://x:y@c:3')).toEqual({
    servers: ['a:1', '[::1]:2', 'c:3'],
    user: 'us@er',
    password: 'p/w',
    token: null,
    isEncrypted: true,
  })
})

test('given a user name alone, when read, then it is a token', () => {
  expect(serverAddresses('nats://s3cr3t@a')).toMatchObject({ user: null, token: 's3cr3t' })
})
