import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { expectBalancedBooks } from '../support/books.ts'
import {
  type Gateway,
  ROOT,
  startDistributedGateway,
  startSingleGateway,
} from '../support/gateway.ts'
import { oneAfterAnother } from '../support/one-after-another.ts'
import { until } from '../support/processes.ts'
import type { SingleProduct } from '../support/product.ts'
import {
  chargesIn,
  gatedUpstream,
  MODEL,
  REQUESTS,
  startRequests,
} from '../support/promised-charges.ts'
import { type CommandRun, runCommand } from '../support/run-command.ts'
import { mountSmallDisk } from '../support/small-disk.ts'

/**
 * A disk that is full answers reads and small writes in place for a while; readiness must say what appends say, and no
 * charge may be lost on it.
 */
let gateway: Gateway<SingleProduct>

beforeAll(async () => {
  gateway = await startSingleGateway({ models: ['gpt-4o-mini'] })
})
afterAll(() => gateway.stop())

const readyz = async (url = gateway.product.url): Promise<string> => {
  const answer = await fetch(`${url}/readyz`)
  return `${answer.status} ${await answer.text()}`
}

test('given a disk that takes no events, when requests come, then readiness tells until it does', async () => {
  const { product, root } = gateway
  const user = await root.addUser('full', 'long-enough-2', 50_000_000)
  const { key } = await user.createToken({ name: 'full' })
  await product.query(`create function pg_temp_full() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`)
  await product.query(
    'create trigger disk_is_full before insert on ledger.events for each statement execute function pg_temp_full()',
  )
  const request = gateway.relay('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await until('it is not ready', async () => (await readyz()).startsWith('503'), 30_000)
  expect(await readyz()).toContain('the event log takes no writes')
  await product.query('drop trigger disk_is_full on ledger.events')
  await until('it is ready again', async () => (await readyz()).startsWith('200'), 30_000)
  await (await request).text()
}, 120_000)

const probe = mountSmallDisk(1)
if ('refused' in probe) process.stdout.write(`no disk was really filled: ${probe.refused}\n`)
else probe.unmount()

const CHARGES_CLI = new URL('../../infra/processes/commands/charges-cli.ts', import.meta.url)
/** Ending takes 28 s at most; the rest is for a machine that is busy. */
const ENDED_WITHIN_MS = 120_000
const RELAY_DISK_MIB = 2
/** An empty ledger with its write-ahead log takes about 60 MiB. */
const LEDGER_DISK_MIB = 256

/** Tests begin one after the other, and wait for the ends of stops side by side. */
const inTurn = oneAfterAnother()

describe.skipIf('refused' in probe).concurrent('on a disk that is really full', () => {
  test('given relays that can spool nothing, when NATS is away and they stop, then the log has each charge', async () => {
    const disk = smallDisk(RELAY_DISK_MIB)
    const { upstream, open } = gatedUpstream()
    const waiting = await inTurn(() =>
      startDistributedGateway({
        models: [MODEL],
        upstream,
        product: { env: { DATA_DIR: join(disk.folder, 'data') } },
      }),
    )
    const { product, root } = waiting
    try {
      const { user, answers } = await startRequests(waiting)
      disk.fill()
      await Promise.all(
        product.relayUrls.map((url) =>
          until(
            'the relay says so',
            async () =>
              /^200 .*disk of DATA_DIR takes no writes.*charges -- deliver/u.test(
                await readyz(url),
              ),
            60_000,
          ),
        ),
      )
      await product.nats.stop()
      open()
      const relays = product.processes('relay')
      expect(await Promise.all(relays.map((one) => one.terminate(ENDED_WITHIN_MS)))).toEqual([0, 0])
      await Promise.all(answers)
      expect(chargeLines(product.logs())).toHaveLength(REQUESTS)
      expect(await chargesIn(product)).toBe(0)

      await product.nats.start()
      await deliverTwice(product.logs(), product.env, async () => {
        await until('all are charged', async () => (await chargesIn(product)) >= REQUESTS, 60_000)
      })
      disk.free()
      await Promise.all(relays.map((one) => one.start()))
      for (const url of product.relayUrls) {
        await until('the relay is content', async () => (await readyz(url)) === READY, 60_000)
      }
      await expectBalancedBooks(product, root, [user])
      expect(await chargesIn(product)).toBe(REQUESTS)
    } finally {
      await waiting.stop()
      disk.unmount()
    }
  }, 300_000)

  test('given a ledger on a full disk, when stopped and freed, then every answer is charged once', async () => {
    const disk = smallDisk(LEDGER_DISK_MIB)
    const { upstream, open, shut } = gatedUpstream()
    const whole = await inTurn(() =>
      startSingleGateway({ models: [MODEL], upstream }, join(disk.folder, 'data')),
    )
    const { product, root } = whole
    try {
      shut()
      const { user, answers } = await startRequests(whole)
      disk.fill()
      const ready = (): Promise<string> => readyz(product.url)
      await until('it is not ready', async () => (await ready()).startsWith('503'), 60_000)
      expect(await ready()).toContain('takes no writes')
      await appendUntilRefused(whole)
      open()
      const answered = await Promise.all(answers)
      for (const answer of answered) expect(answer).toMatch(/^(200 |503 .*charged once)/u)
      // The database may not come down in order on such a disk: what counts is what is charged in the end.
      await product.terminate(ENDED_WITHIN_MS)
      const printed = product.logs()
      const promised = answered.filter((answer) => answer.startsWith('503'))
      expect(chargeLines(printed).length).toBeGreaterThanOrEqual(promised.length)
      disk.free()

      await deliverTwice(printed, { DATA_DIR: product.dataDir }, () => product.start())
      await until('it is ready again', async () => (await ready()).startsWith('200'), 60_000)
      await root.logIn(ROOT.username, ROOT.password)
      await user.logIn('promised', 'long-enough-2')
      await until('all are charged', async () => (await chargesIn(product)) >= REQUESTS, 60_000)
      await expectBalancedBooks(product, root, [user])
      expect(await chargesIn(product)).toBe(REQUESTS)
    } finally {
      await whole.stop()
      disk.unmount()
    }
  }, 300_000)
})

const READY = '200 {"status":"ready"}'

function smallDisk(sizeMib: number) {
  const disk = mountSmallDisk(sizeMib)
  if ('refused' in disk) throw new Error(disk.refused)
  return disk
}

/**
 * Events without rows: what is left of the ledger's last page is used up until an append fails for want of room, which
 * is then repeated for as long as its caller waits.
 */
async function appendUntilRefused({ product, root }: Gateway): Promise<void> {
  const token = await root.createToken({ name: 'filling' })
  const refused = async (): Promise<boolean> =>
    (await readyz(product.url)).includes('the event log takes no writes')
  for (let turn = 0; !(await refused()); turn++) {
    let isAppended = false
    // The one that is refused is cut off when the product ends.
    const body = { id: token.id, status: turn % 2 === 0 ? 2 : 1 }
    void root.send('PUT', '/api/token/?status_only=true', body).then(
      () => (isAppended = true),
      () => undefined,
    )
    await until('it is appended or refused', async () => isAppended || refused(), 60_000)
  }
}

const chargeLine = z.object({ charge: z.object({ format: z.literal(1) }), reason: z.string() })

/** The lines of a log that are charges; each must be JSON and say why it is there. */
const chargeLines = (log: string): readonly unknown[] =>
  log
    .split('\n')
    .filter((line) => line.includes('"charge":'))
    .map((line) => chargeLine.parse(JSON.parse(line)))

/** Delivers a log, does something, and delivers it once more. */
async function deliverTwice(
  log: string,
  env: Readonly<Record<string, string>>,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-printed-'))
  const file = join(folder, 'printed.log')
  writeFileSync(file, log)
  const deliver = (): Promise<CommandRun> => runCommand(CHARGES_CLI, ['deliver', file], env)
  const complete = {
    code: 0,
    err: '',
    out: expect.stringContaining(
      `${chargeLines(log).length} charges delivered, 0 refused, 0 lines not read`,
    ),
  }
  try {
    expect(await deliver()).toMatchObject(complete)
    await meanwhile()
    expect(await deliver()).toMatchObject(complete)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
