import type { DomainEvent } from '@tollgate/domain/event.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DistributedProduct } from '../support/distributed-product.ts'
import { type Gateway, startDistributedGateway } from '../support/gateway.ts'
import { forgedEvent, forgingSql } from '../support/histories/audited-log.ts'
import { until } from '../support/processes.ts'
import { runCommand } from '../support/run-command.ts'

/** An account that is locked while one of its requests is at the upstream, with NATS between the processes. */
let gateway: Gateway<DistributedProduct>
/** The upstream answers once this is resolved. */
const answering = Promise.withResolvers<undefined>()
const OPENING = 10_000_000

beforeAll(async () => {
  gateway = await startDistributedGateway({
    models: ['gpt-4o-mini'],
    upstream: {
      latency: () => ({ firstByteMs: 1, perTokenMs: 0 }),
      wait: () => answering.promise,
    },
  })
}, 180_000)
afterAll(async () => {
  await gateway.stop()
}, 60_000)

const LEDGER_CLI = new URL('../../infra/processes/commands/ledger-cli.ts', import.meta.url)
const MONEY = {
  type: 'QuotaCredited',
  data: { at: 1, amount: 1_000_000, source: 'top-up', reason: 'a gift' },
} as DomainEvent

test('given a request under way, when its account is locked, then it is charged once after setting aside', async () => {
  const { product, root, upstream } = gateway
  const user = await root.addUser('locked', 'long-enough-2', OPENING)
  const { key } = await user.createToken({ name: 'locked' })
  const stream = `account-${(await user.self()).id}`
  const ask = { model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content: 'hello' }] }
  const asked = gateway.openai(key).chat.completions.create(ask)
  await until('the upstream was asked', () => upstream.requests.length === 1)
  await product.query(forgingSql(stream, forgedEvent(stream, MONEY)))
  answering.resolve(undefined)
  expect((await asked).choices).toHaveLength(1)
  const [newest] = (await product.query(
    `select max(revision) as revision from ledger.events where stream = '${stream}'`,
  )) as { readonly revision: string }[]
  const place = `${stream}@${newest?.revision}`
  await until('the charge was refused', () => product.logs().includes('kept in TOLLGATE_REFUSED'))
  expect((await user.self()).used_quota).toBe(0)
  const words = ['set-aside', place, '--reason', 'written by hand']
  const { code, out } = await runCommand(LEDGER_CLI, words, product.env)
  expect({ code, out }).toEqual({
    code: 0,
    out: `Event ${newest?.revision} of ${stream} is set aside, and ${stream} goes on.\nCharges that waited for it in TOLLGATE_REFUSED: 1, handed to the ledger again.\n`,
  })
  await until('it is charged', async () => {
    const { quota, used_quota, request_count } = await user.self()
    return request_count === 1 && used_quota > 0 && quota + used_quota === OPENING
  })
  const charges = await product.query(
    `select count(*)::int as count from ledger.events where stream = '${stream}' and type = 'UsageCharged'`,
  )
  expect(charges).toEqual([{ count: 1 }])
}, 90_000)
