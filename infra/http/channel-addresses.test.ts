import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { lookup } from 'node:dns'
import { type AddressInfo, isIP } from 'node:net'
import { callUpstream } from '@tollgate/relay/upstream/call.ts'
import { makeDispatchers } from '@tollgate/relay/upstream/dispatchers.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { channelAddresses } from './channel-addresses.ts'

let allows = false
const names: Readonly<Record<string, readonly string[]>> = {
  'public.example': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'mixed.example': ['93.184.215.14', '10.0.0.1'],
  'inside.example': ['fd00::1'],
  'metadata.example': ['93.184.215.14', '169.254.169.254'],
}
const addresses = channelAddresses({
  allowsPrivate: () => allows,
  connectMs: 1_000,
  resolve: async (name) => {
    const found = names[name]
    if (found === undefined) throw new Error('no such name')
    return found
  },
  lookup: (name, options, callback) => {
    const found = names[name]
    if (found === undefined) return lookup(name, options, callback)
    callback(
      null,
      found.map((address) => ({ address, family: isIP(address) })),
    )
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
  ['https://public.example/v1', null],
  ['https://unknown.example', null],
  ['https://93.184.215.14', null],
  ['', null],
  ['https://mixed.example', 'private'],
  ['https://inside.example:8443', 'private'],
  ['http://127.0.0.1:11434', 'private'],
  ['http://2130706433', 'private'],
  ['http://0x7f.1', 'private'],
  ['http://[::1]:11434', 'private'],
  ['http://[::ffff:10.0.0.1]', 'private'],
])(
  'given channels kept to the internet, when %s is saved, then its fault is %s, else there is none',
  async (address, why) => {
    allows = false
    expect(await addresses.addressProblem(address, 'configured')).toBe(why)
    allows = true
    expect(await addresses.addressProblem(address, 'configured')).toBeNull()
    expect(await addresses.addressProblem(address, 'public')).toBe(why)
  },
)

const METADATA = [
  'http://169.254.169.254/latest/meta-data',
  'http://2852039166',
  'http://[fe80::1]',
  'http://[fd00:ec2::254]',
  'http://[::ffff:169.254.169.254]',
  'http://metadata.google.internal',
  'socks5://169.254.1.1:1080',
]

test.each([...METADATA, 'https://metadata.example'])(
  'given %s, when saved, then it is refused whatever channels may',
  async (address) => {
    for (allows of [false, true])
      expect(await addresses.addressProblem(address, 'configured')).toBe('metadata')
  },
)

test.each(['127.0.0.1', 'localhost'])(
  'given channels kept to the internet, when something is sent to %s, then nothing arrives',
  async (host) => {
    const { port } = server.address() as AddressInfo
    const ask = () => askAt(`http://${host}:${port}`)
    allows = false
    requests = 0
    expect(await ask()).toMatchObject({ kind: 'unreachable', reason: 'forbidden' })
    expect(requests).toBe(0)
    allows = true
    expect(await ask()).toMatchObject({ kind: 'whole', status: 200 })
    expect(requests).toBe(1)
  },
)

test('given channels that may lead inside, when a metadata service is called, then nothing arrives', async () => {
  allows = true
  requests = 0
  const { port } = server.address() as AddressInfo
  const proxy = `http://127.0.0.1:${port}`
  for (const address of METADATA.slice(0, -1)) {
    const { origin } = new URL(address)
    for (const through of ['', proxy]) {
      // Where no name server answers, a name that is not asked of a proxy is as far away.
      if (through === '' && origin.includes('google')) continue
      const answer = await askAt(origin, through)
      expect({ origin, ...answer }).toMatchObject({ origin, reason: 'forbidden' })
    }
  }
  expect(await askAt(`http://metadata.example:${port}`)).toMatchObject({ reason: 'forbidden' })
  expect(await askAt('http://api.example', 'http://169.254.1.1:1080')).toMatchObject({
    reason: 'forbidden',
  })
  expect(requests).toBe(0)
})

const askAt = (origin: string, through = '') =>
  callUpstream({
    dispatcher: dispatchers.through(through),
    address: { origin, path: '/' },
    method: 'GET',
    headers: {},
    body: null,
    firstByteMs: 1_000,
    idleMs: 1_000,
  }).answer
