import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { expectBalancedBooks } from '../support/books.ts'
import type { ConsoleClient } from '../support/console-client.ts'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Gateway, ROOT, startSingleGateway } from '../support/gateway.ts'
import type { SingleProduct } from '../support/product.ts'
import { descendantsOf, isAlive, signal, until } from '../support/processes.ts'
import { blockLedger, chargesIn, gatedUpstream } from '../support/promised-charges.ts'

/** SIGTERM while a stream runs: it is ended and charged, everything is closed, and the next start finds nothing left. */
let gateway: Gateway<SingleProduct>
let user: ConsoleClient
let key: string

const MODEL = 'gpt-4o-mini'

beforeAll(async () => {
  gateway = await startSingleGateway({ models: [MODEL] })
  gateway.upstream.behave('sk-steady', 'stalled')
  user = await gateway.root.addUser('stopping', 'long-enough-2', 50_000_000)
  key = (await user.createToken({ name: 'stopping' })).key
})
afterAll(() => gateway.stop())

test('given an endless stream, when the process gets SIGTERM, then the delivered part is charged once', async () => {
  const { product } = gateway
  const running = await ask()
  expect(running.status).toBe(200)
  const reader = running.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) throw new Error('the stream has no body')
  let text = (await reader.read()).value ?? ''
  const started = descendantsOf(product.pid())
  expect(started.length).toBeGreaterThan(0)

  const ended = product.terminate()
  await until('the product says that it stops', async () => {
    const answer = await fetch(`${product.url}/readyz`)
    return answer.status === 503 && (await answer.text()).includes('stopping')
  })
  const late = await ask()
  expect(late.status).toBe(503)
  expect(late.headers.get('retry-after')).not.toBeNull()
  await late.text()
  const readOn = async (): Promise<void> => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value
  }
  await expect(readOn()).rejects.toThrow('terminated')
  expect(text).toContain('server_stopping')
  expect(text).not.toContain('[DONE]')
  expect(await ended).toBe(0)
  expect(started.filter(isAlive)).toEqual([])

  const printed = product.logs().length
  await product.start()
  expect(product.logs().slice(printed)).not.toContain('former run')
  const charges = await product.query(
    "select data::jsonb->'request'->>'id' as id from ledger.events where type = 'UsageCharged'",
  )
  expect(z.array(z.object({ id: z.string() })).parse(charges)).toEqual([
    { id: running.headers.get('x-oneapi-request-id') },
  ])
  expect(await product.query('select hold from balances.holds')).toEqual([])
  await expectBalancedBooks(product, gateway.root, [user])
})

test('given a hanging test of all channels, when SIGTERM comes, then it is dropped unrecorded', async () => {
  const { product, root, upstream } = gateway
  await root.logIn(ROOT.username, ROOT.password)
  upstream.forget()
  upstream.behave('sk-steady', 'silent')
  expect(await root.send('GET', '/api/channel/test')).toMatchObject({ success: true })
  await until('upstream is asked', () => upstream.requests.length > 0)
  // A process that takes longer than it may ends with another code, and upstream has longer to answer than that.
  expect(await product.terminate()).toBe(0)
  await product.start()
  const tested = await product.query(
    "select 1 from telemetry.channel_tests union all select 1 from ledger.events where type = 'ChannelTested'",
  )
  expect(tested).toEqual([])
})

const ask = (product = gateway.product, token = key): Promise<Response> =>
  fetch(`${product.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: MODEL,
      stream: true,
      messages: [{ role: 'user', content: 'hello' }],
    }),
  })

/** Far beyond the 28 s of a stop: a machine that is busy makes no test fail. */
const ENDED_WITHIN_MS = 120_000
const STREAMS = 4

describe('given finished answers whose charges cannot be written', () => {
  const gate = gatedUpstream()
  let waiting: Gateway<SingleProduct>
  let payer: ConsoleClient
  let token: string

  beforeAll(async () => {
    waiting = await startSingleGateway({ models: [MODEL], upstream: gate.upstream })
    payer = await waiting.root.addUser('hasty', 'long-enough-2', 50_000_000)
    token = (await payer.createToken({ name: 'hasty' })).key
  })
  afterAll(() => waiting.stop())

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'when SIGTERM is followed by %s, then the process ends at once, and the next run charges each once',
    async (second) => {
      const { product } = waiting
      gate.shut()
      const finishing = Array.from({ length: STREAMS }, () => readUntilFinished(waiting, token))
      await until('all are at upstream', () => answersUnderWay() === STREAMS)
      const letGo = await blockLedger(product)
      const printed = product.logs().length
      const [pid, charged] = [product.pid(), await chargesIn(product)]
      gate.open()
      await Promise.all(finishing)
      await turnsOfTheProcess(product)

      let hasEnded = false
      const ended = product.terminate(ENDED_WITHIN_MS).finally(() => (hasEnded = true))
      // A signal that follows at once is the same wish; the process tells it from impatience by its own clock.
      await until(
        'the second signal ends it',
        () => {
          signal(pid, second)
          return hasEnded
        },
        ENDED_WITHIN_MS,
      )
      expect(await ended).toBe(1)
      expect(product.logs().slice(printed)).toContain(`second ${second}, exiting`)
      expect(product.logs().slice(printed)).not.toContain('killed by timeout')
      await letGo()
      await expectChargedByTheNextRun(charged)
    },
    240_000,
  )

  test('when a part does not stop, then the process ends after 28 s and the next run charges each once', async () => {
    const { product } = waiting
    gate.shut()
    const finishing = Array.from({ length: STREAMS }, () => readUntilFinished(waiting, token))
    await until('all are at upstream', () => answersUnderWay() === STREAMS)
    const charged = await chargesIn(product)
    const printed = product.logs().length
    const database = descendantsOf(product.pid())
    for (const pid of database) signal(pid, 'SIGSTOP')
    try {
      gate.open()
      await Promise.all(finishing)
      await turnsOfTheProcess(product)
      expect(await product.terminate(ENDED_WITHIN_MS)).toBe(1)
      expect(product.logs().slice(printed)).toContain('killed by timeout (28000ms)')
    } finally {
      for (const pid of database) signal(pid, 'SIGCONT')
    }
    await expectChargedByTheNextRun(charged)
  }, 240_000)

  const answersUnderWay = (): number =>
    waiting.upstream.requests.filter(({ outcome }) => outcome === 'open').length

  async function expectChargedByTheNextRun(before: number): Promise<void> {
    const { product, root } = waiting
    expect(spooledLines(product)).toHaveLength(STREAMS)
    await product.start()
    await until(
      'all are charged',
      async () => (await chargesIn(product)) >= before + STREAMS,
      60_000,
    )
    await until('the spool is empty', () => spooledLines(product).length === 0, 60_000)
    await root.logIn(ROOT.username, ROOT.password)
    await payer.logIn('hasty', 'long-enough-2')
    await expectBalancedBooks(product, root, [payer])
    expect(await chargesIn(product)).toBe(before + STREAMS)
  }
})

/** Asks for a stream and reads on until upstream's finish reason is there: what follows waits for the charge. */
async function readUntilFinished({ product }: Gateway<SingleProduct>, token: string) {
  const answer = await ask(product, token)
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes('"finish_reason":"stop"')) {
    const part = await reader?.read()
    if (part?.value === undefined) throw new Error(`the stream ended early: ${text}`)
    text += part.value
  }
}

/** Each answer takes the process a turn, in which it also does what the bytes that came before ask of it. */
async function turnsOfTheProcess(product: SingleProduct): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await (await fetch(`${product.url}/healthz`)).text()
}

const spooledLines = ({ dataDir }: SingleProduct): readonly string[] => {
  const folder = join(dataDir, 'spool')
  return readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8').trim().split('\n'),
  )
}
