import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { callUpstream } from '@tollgate/relay/upstream/call.ts'
import { makeDispatchers } from '@tollgate/relay/upstream/dispatchers.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { channelAddresses } from './channel-addresses.ts'

let allows = false
const names: Readonly<Record<string, readonly string[]>> = {
  'public.example': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'mixed.example': ['93.184.215.14', '10.0.0.1'],
  'inside.example': ['fd00::1'],
}
const addresses = channelAddresses({
  allowsPrivate: () => allows,
  connectMs: 1_000,
  resolve: async (name) => {
    const found = names[name]
    if (found === undefined) throw new Error('no such name')
    return found
  },
})
const dispatchers = makeDispatchers(1_000, addresses.guard)
let server: Server
let requests = 0
beforeAll(async () => {
  server = createServer((_request, response) => {
    requests += 1
    response.end('here')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(async () => {
  await dispatchers.close()
  server.close()
})

test.each([
  ['https://public.example/v1', true],
  ['https://unknown.example', true],
  ['https://93.184.215.14', true],
  ['', true],
  ['https://mixed.example', false],
  ['https://inside.example:8443', false],
  ['http://127.0.0.1:11434', false],
  ['http://2130706433', false],
  ['http://0x7f.1', false],
  ['http://[::1]:11434', false],
  ['http://[::ffff:10.0.0.1]', false],
  ['http://169.254.169.254/latest/meta-data', false],
])(
  'given channels kept to the internet, when %s is saved, then it may be: %s',
  async (baseUrl, may) => {
    allows = false
    expect(await addresses.mayLeadTo(baseUrl)).toBe(may)
    allows = true
    expect(await addresses.mayLeadTo(baseUrl)).toBe(true)
  },
)

test.each(['127.0.0.1', 'localhost'])(
  'given channels kept to the internet, when something is sent to %s, then nothing arrives until they may',
  async (host) => {
    const { port } = server.address() as AddressInfo
    const ask = () =>
      callUpstream({
        dispatcher: dispatchers.through(''),
        address: { origin: `http://${host}:${port}`, path: '/' },
        method: 'GET',
        headers: {},
        body: null,
        firstByteMs: 1_000,
        idleMs: 1_000,
      }).answer
    allows = false
    requests = 0
    expect(await ask()).toMatchObject({ kind: 'unreachable', reason: 'forbidden' })
    expect(requests).toBe(0)
    allows = true
    expect(await ask()).toMatchObject({ kind: 'whole', status: 200 })
    expect(requests).toBe(1)
  },
)
