import { type NatsServer, startNatsServer } from '@tollgate/tests/support/engines/nats-server.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type NatsLink, openNats } from './connection.ts'

let server: NatsServer
const links: NatsLink[] = []

const said: string[] = []
const say = (_details: object, message: string): void => void said.push(message)
const logger = { info: say, warn: say, error: say }

async function open(url = server.url): Promise<NatsLink> {
  const link = await openNats({ url, credsFile: null, name: 'test', logger })
  links.push(link)
  return link
}

beforeEach(async () => {
  said.length = 0
  server = await startNatsServer()
})
afterEach(async () => {
  await Promise.all(links.splice(0).map((link) => link.close()))
  await server.dispose()
})

test('given no server at the start, when one comes, then it is connected to, and waiting was said once', async () => {
  await server.stop()
  const opening = open()
  await until('it has said that it waits', () => said.length > 0)
  await server.start()
  const link = await opening
  expect(link.readinessProblem()).toBeNull()
  expect(said.filter((text) => text.includes('NATS_URL'))).toHaveLength(1)
})

test('given no server, when waiting for it is given up, then opening fails with the reason', async () => {
  await server.stop()
  const reason = new Error('stopping')
  const giveUp = new AbortController()
  const opening = openNats({
    url: server.url,
    credsFile: null,
    name: 'test',
    logger,
    signal: giveUp.signal,
  })
  giveUp.abort(reason)
  await expect(opening).rejects.toBe(reason)
})

test('given a server that is killed and comes back, when looked at, then both is known and told', async () => {
  const link = await open()
  const told: string[] = []
  link.onDisconnect(() => told.push('lost'))
  link.onReconnect(() => told.push('back'))
  await server.kill()
  await until('the loss is noticed', () => !link.isConnected())
  expect(link.readinessProblem()).toBe('NATS does not answer')
  await server.start()
  await until('the connection is back', () => link.isConnected())
  expect(told).toEqual(['lost', 'back'])
})

test('given a server that hangs, when nothing answers, then that is noticed within seconds', async () => {
  const link = await open()
  await server.pause()
  await until('the loss is noticed', () => !link.isConnected(), 15_000)
  server.resume()
  await until('the connection is back', () => link.isConnected(), 15_000)
})

test('given a lost connection, when closed, then that takes no longer than its bound', async () => {
  const link = await open()
  await server.kill()
  await until('the loss is noticed', () => !link.isConnected())
  const before = performance.now()
  await link.close()
  expect(performance.now() - before).toBeLessThan(3_000)
  expect(link.isConnected()).toBe(false)
})

test('given a server that asks for a password, when the address has it, then it lets in', async () => {
  await server.dispose()
  server = await startNatsServer({ config: 'authorization { user: "toll", password: "p/w" }' })
  const link = await open(server.url.replace('//', '//toll:p%2Fw@'))
  expect(link.readinessProblem()).toBeNull()
})
