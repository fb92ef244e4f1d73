import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ConsoleClient } from '../support/console-client.ts'
import {
  type EventStoreDbDouble,
  startEventStoreDbDouble,
} from '../support/engines/eventstoredb-double/double.ts'
import { type Gateway, startSingleGateway } from '../support/gateway.ts'
import { forgedEvent } from '../support/histories/audited-log.ts'
import type { SingleProduct } from '../support/product.ts'
import { until } from '../support/processes.ts'
import { runCommand } from '../support/run-command.ts'

/**
 * The whole product with its log in EventStoreDB: the server that EVENTSTORE_URL names, which should be an empty one,
 * else the protocol double.
 */
let double: EventStoreDbDouble | null = null
let gateway: Gateway<SingleProduct>
let user: ConsoleClient
let key: string

const OPENING = 10_000_000
const SLOWLY = 'answer slowly'
/** The upstream answers those that ask slowly once this is resolved. */
const answering = Promise.withResolvers<undefined>()

beforeAll(async () => {
  const given = process.env['EVENTSTORE_URL']
  if (given === undefined || given === '') double = await startEventStoreDbDouble()
  const url = double?.connectionString ?? given ?? ''
  gateway = await startSingleGateway({
    models: ['gpt-4o-mini'],
    upstream: {
      latency: () => ({ firstByteMs: 1, perTokenMs: 0 }),
      wait: (ms, body) => (body.includes(SLOWLY) ? answering.promise : sleep(ms)),
    },
    product: { env: { EVENTSTORE_URL: url } },
  })
  user = await gateway.root.addUser('event-user', 'long-enough-2', OPENING)
  key = (await user.createToken({ name: 'events' })).key
})
afterAll(async () => {
  await gateway.stop()
  await double?.close()
})

const ask = { model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content: 'hello' }] }

const LEDGER_CLI = new URL('../../infra/processes/commands/ledger-cli.ts', import.meta.url)

/** As `npm run ledger -- …` beside the running product. */
const ledger = (...words: string[]) =>
  runCommand(LEDGER_CLI, words, {
    DATA_DIR: gateway.product.dataDir,
    EVENTSTORE_URL: double?.connectionString,
  })

async function charged(): Promise<number> {
  const self = await user.self()
  expect(self.quota + self.used_quota).toBe(OPENING)
  return self.request_count
}

test('given a log in EventStoreDB, when an SDK asks, streamed and not, then each answer is charged once', async () => {
  const openai = gateway.openai(key)
  await openai.chat.completions.create(ask)
  const stream = await openai.chat.completions.create({ ...ask, stream: true })
  let chunks = 0
  for await (const _ of stream) chunks += 1
  expect(chunks).toBeGreaterThan(2)
  await until('both charges are visible', async () => (await charged()) === 2)
  const stored = await gateway.product.query('select count(*) as count from ledger.events')
  expect(stored).toEqual([{ count: '0' }])
})

test('given a restart, when the product comes back, then it reads everything from there and goes on', async () => {
  await gateway.product.terminate()
  await gateway.product.start()
  await gateway.openai(key).chat.completions.create(ask)
  await until('the third charge is visible', async () => (await charged()) === 3)
})

test('given streams that another client writes or cuts, when used, then only their accounts are locked', async () => {
  if (double === null) return expect(process.env['EVENTSTORE_URL']).toBeTruthy()
  const { log } = double
  const people = await Promise.all(
    ['spoilt', 'cut'].map(async (name) => {
      const client = await gateway.root.addUser(name, 'long-enough-2', OPENING)
      const { key: own } = await client.createToken({ name })
      return { stream: `account-${(await client.self()).id}`, client, openai: gateway.openai(own) }
    }),
  )
  const [spoilt, cut] = people
  if (spoilt === undefined || cut === undefined) throw new Error('two people were added')
  // Nothing of them is in memory any more.
  await gateway.product.terminate()
  log.append(spoilt.stream, 'any', [
    {
      id: crypto.randomUUID(),
      type: 'QuotaCredited',
      contentType: 'application/json',
      data: Buffer.from('{"at":1,"amount":1000000}'),
      metadata: Buffer.from(''),
    },
  ])
  log.setMetadata(cut.stream, { $maxCount: 1 })
  await gateway.product.start()
  const before = await charged()
  await gateway.openai(key).chat.completions.create(ask)
  for (const { openai, client } of people) {
    await expect(openai.chat.completions.create(ask)).rejects.toMatchObject({
      status: 403,
      code: 'account_locked',
    })
    const answer = await client.fetch('POST', '/api/token', {
      name: 'more',
      remain_quota: 5,
      expired_time: -1,
    })
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ success: false, code: 'ledger_stream_locked' })
  }
  await gateway.openai(key).chat.completions.create(ask)
  await until('both charges are visible', async () => (await charged()) === before + 2)
  const readyz = await fetch(`${gateway.product.url}/readyz`)
  expect(readyz.status).toBe(200)
  const { warning } = (await readyz.json()) as { warning?: string }
  const { revision = -1n } = log.streamOf(spoilt.stream).at(-1) ?? {}
  expect(warning).toContain(`${spoilt.stream}@${revision}`)
  expect(warning).toContain(`${cut.stream}: {"$maxCount":1}`)
  log.setMetadata(cut.stream, {})
  await cut.openai.chat.completions.create(ask)
  // The operator has looked at the event: that account goes on, too, and nothing is started anew.
  const place = `${spoilt.stream}@${revision}`
  const aside = await ledger('set-aside', place, '--reason', 'written by hand')
  expect(aside).toMatchObject({ code: 0, err: '' })
  expect(aside.out).toContain(`Event ${revision} of ${spoilt.stream} is set aside`)
  expect((await spoilt.openai.chat.completions.create(ask)).choices).toHaveLength(1)
  await until('nothing is warned of', async () => {
    const answer = await fetch(`${gateway.product.url}/readyz`)
    return !JSON.stringify(await answer.json()).includes(spoilt.stream)
  })
  await until('what was spent is what is missing', async () => {
    const { quota, used_quota } = await spoilt.client.self()
    return used_quota > 0 && quota + used_quota === OPENING
  })
  const again = await ledger('set-aside', place, '--reason', 'written by hand')
  expect(again).toMatchObject({ code: 1, out: '' })
  expect(again.err).toContain('is not locked')
})

test('given a request under way, when its account is locked, then it is answered and charged once later', async () => {
  if (double === null) return expect(process.env['EVENTSTORE_URL']).toBeTruthy()
  const { log } = double
  const client = await gateway.root.addUser('under-way', 'long-enough-2', OPENING)
  const { key: own } = await client.createToken({ name: 'under way' })
  const stream = `account-${(await client.self()).id}`
  const slowly = { ...ask, messages: [{ role: 'user' as const, content: SLOWLY }] }
  const asked = gateway.openai(own).chat.completions.create(slowly)
  await until('the upstream was asked', () =>
    gateway.upstream.requests.some(({ body }) => body.includes(SLOWLY)),
  )
  const data = { at: 1, amount: 1_000_000, source: 'top-up', reason: 'a gift' }
  const forged = forgedEvent(stream, { type: 'QuotaCredited', data })
  const bytes = { data: Buffer.from(forged.data), metadata: Buffer.from(forged.metadata) }
  log.append(stream, 'any', [{ ...forged, ...bytes, contentType: 'application/json' }])
  answering.resolve(undefined)
  expect((await asked).choices).toHaveLength(1)
  await expect(gateway.openai(own).chat.completions.create(ask)).rejects.toMatchObject({
    status: 403,
    code: 'account_locked',
  })
  const chargesOf = (): number =>
    log.streamOf(stream).filter(({ type }) => type === 'UsageCharged').length
  expect(chargesOf()).toBe(0)
  const { revision = -1n } = log.streamOf(stream).at(-1) ?? {}
  expect(
    await ledger('set-aside', `${stream}@${revision}`, '--reason', 'written by hand'),
  ).toMatchObject({ code: 0, err: '' })
  await until('it is charged', async () => {
    const { quota, used_quota, request_count } = await client.self()
    return request_count === 1 && used_quota > 0 && quota + used_quota === OPENING
  })
  expect(chargesOf()).toBe(1)
})

test.each([
  { words: [] },
  { words: ['account-7'] },
  { words: ['account-7@x', '--reason', 'why'] },
  { words: ['account-7@1', 'why'] },
  { words: ['account-7@1', '--reason', '  '] },
])(
  'given the words $words, when events are to be set aside, then it says how it is done',
  async ({ words }) => {
    const { code, out, err } = await ledger('set-aside', ...words)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain('npm run ledger -- set-aside account-7@12 --reason')
  },
)

test('given a foreign event in the settings, when started, then the last good ones are in force', async () => {
  if (double === null) return expect(process.env['EVENTSTORE_URL']).toBeTruthy()
  const earlier = { key: 'SystemName', value: 'Before' }
  expect(await gateway.root.send('PUT', '/api/option', earlier)).toMatchObject({ success: true })
  await gateway.product.terminate()
  const strange = { type: 'OptionChanged', contentType: 'application/json' }
  double.log.append('settings', 'any', [
    { ...strange, id: crypto.randomUUID(), data: Buffer.from('{}'), metadata: Buffer.from('') },
  ])
  await gateway.product.start()
  const status = await gateway.root.send('GET', '/api/status')
  expect(status).toMatchObject({ data: { system_name: 'Before' } })
  const change = { key: 'SystemName', value: 'After' }
  expect(await gateway.root.send('PUT', '/api/option', change)).toMatchObject({
    success: false,
    code: 'ledger_stream_locked',
  })
  const before = await charged()
  await gateway.openai(key).chat.completions.create(ask)
  await until('it is charged', async () => (await charged()) === before + 1)
})

test('given settings cut by another client, when started, then the last projected are in force, as said', async () => {
  if (double === null) return expect(process.env['EVENTSTORE_URL']).toBeTruthy()
  const { revision = 0n } = double.log.streamOf('settings').at(-1) ?? {}
  const place = `settings@${revision}`
  expect(await ledger('set-aside', place, '--reason', 'written by hand')).toMatchObject({ code: 0 })
  const earlier = { key: 'SystemName', value: 'Projected' }
  expect(await gateway.root.send('PUT', '/api/option', earlier)).toMatchObject({ success: true })
  await gateway.root.send('PUT', '/api/option', { key: 'Footer', value: 'the newest one' })
  await gateway.product.terminate()
  double.log.setMetadata('settings', { $maxCount: 1 })
  await gateway.product.start()
  expect(await gateway.root.send('GET', '/api/status')).toMatchObject({
    data: { system_name: 'Projected' },
  })
  await until('it is warned of', async () => {
    const readyz = await fetch(`${gateway.product.url}/readyz`)
    return readyz.status === 200 && (await readyz.text()).includes('settings: {')
  })
  expect(await gateway.root.send('PUT', '/api/option', earlier)).toMatchObject({
    success: false,
    code: 'ledger_stream_locked',
  })
  const before = await charged()
  await gateway.openai(key).chat.completions.create(ask)
  await until('it is charged', async () => (await charged()) === before + 1)
  double.log.setMetadata('settings', {})
  expect(await gateway.root.send('PUT', '/api/option', earlier)).toMatchObject({ success: true })
})

test('given a store that goes away under load, when it is back, then every answer is charged once', async () => {
  if (double === null) return expect(process.env['EVENTSTORE_URL']).toBeTruthy()
  const openai = gateway.openai(key)
  const before = await charged()
  const store = double
  const asked = Array.from({ length: 12 }, () => openai.chat.completions.create(ask))
  await asked[0]
  await store.die()
  setTimeout(() => void store.comeBack(), 1_500)
  const outcomes = await Promise.allSettled([...asked, openai.chat.completions.create(ask)])
  const finished = outcomes.filter(({ status }) => status === 'fulfilled').length
  expect(finished).toBe(13)
  await until('all charges are visible', async () => (await charged()) === before + finished)
})
