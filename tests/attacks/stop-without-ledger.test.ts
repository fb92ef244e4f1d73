import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { expectBalancedBooks } from '../support/books.ts'
import {
  type Gateway,
  ROOT,
  startDistributedGateway,
  startSingleGateway,
} from '../support/gateway.ts'
import { oneAfterAnother } from '../support/one-after-another.ts'
import { until } from '../support/processes.ts'
import type { Product } from '../support/product-kinds.ts'
import {
  blockLedger,
  chargesIn,
  gatedUpstream,
  MODEL,
  REQUESTS,
  startRequests,
} from '../support/promised-charges.ts'
import { runCommand } from '../support/run-command.ts'

/**
 * Requests are answered by upstream while the ledger can write nothing, and Tollgate is stopped: what their clients were
 * promised ("it will be charged once") is charged by the next run, once.
 */
/** docker stop -t 30 kills what takes longer. */
const STOP_WITHIN_MS = 30_000
/** A test may spend most of it in waiting for its turn. */
const TEST_MS = 360_000
const commandOf = (name: string): URL =>
  new URL(`../../infra/processes/commands/${name}-cli.ts`, import.meta.url)
const CHARGES_CLI = commandOf('charges')
const BACKUP_CLI = commandOf('backup')
const RESTORE_CLI = commandOf('restore')

/** Tests begin one after the other, and wait for the ends of stops side by side. */
const inTurn = oneAfterAnother()

/** Starts a gateway and six requests, which wait at upstream. */
const begin = <Kind extends Product>(start: () => Promise<Gateway<Kind>>) =>
  inTurn(async () => {
    const gateway = await start()
    try {
      return { gateway, ...(await startRequests(gateway)) }
    } catch (error) {
      await gateway.stop()
      throw error
    }
  })

test.concurrent(
  'given six answers with unwritten charges, when Tollgate stops, then the next run charges each once',
  async () => {
    const { upstream, open } = gatedUpstream()
    const { gateway, user, answers } = await begin(() =>
      startSingleGateway({ models: [MODEL], upstream }),
    )
    const { product, root } = gateway
    try {
      const letGo = await blockLedger(product)
      open()
      for (const answer of await Promise.all(answers))
        expect(answer).toMatch(/^503 .*charged once/u)
      const stoppedAt = performance.now()
      expect(await product.terminate()).toBe(0)
      expect(performance.now() - stoppedAt).toBeLessThan(STOP_WITHIN_MS)
      await letGo()
      expect(readdirSync(join(product.dataDir, 'spool'))).not.toEqual([])

      await product.start()
      await until('all are charged', async () => (await chargesIn(product)) === REQUESTS)
      await until(
        'the spool is empty',
        () => readdirSync(join(product.dataDir, 'spool')).length === 0,
      )
      await root.logIn(ROOT.username, ROOT.password)
      await expectBalancedBooks(product, root, [user])
      expect(await chargesIn(product)).toBe(REQUESTS)
    } finally {
      await gateway.stop()
    }
  },
  TEST_MS,
)

test.concurrent(
  'given spooled charges, when a backup is restored beside them, then its ledger takes each once',
  async () => {
    const { upstream, open } = gatedUpstream()
    const { gateway, user, answers } = await begin(() =>
      startSingleGateway({ models: [MODEL], upstream }),
    )
    const { product, root } = gateway
    const backup = join(mkdtempSync(join(tmpdir(), 'tollgate-backup-')), 'backup')
    try {
      const env = { DATA_DIR: product.dataDir }
      expect(await runCommand(BACKUP_CLI, [backup], env)).toMatchObject({ code: 0 })
      const letGo = await blockLedger(product)
      open()
      expect(await product.terminate()).toBe(0)
      await Promise.all(answers)
      await letGo()
      const others = readdirSync(product.dataDir).filter((name) => name !== 'spool')
      for (const name of others) rmSync(join(product.dataDir, name), { recursive: true })
      expect(await runCommand(RESTORE_CLI, [backup], env)).toMatchObject({ code: 0 })

      await product.start()
      await until('all are charged', async () => (await chargesIn(product)) === REQUESTS)
      await root.logIn(ROOT.username, ROOT.password)
      await user.logIn('promised', 'long-enough-2')
      await expectBalancedBooks(product, root, [user])
      expect(await chargesIn(product)).toBe(REQUESTS)
      expect(readdirSync(join(product.dataDir, 'spool'))).toEqual([])
    } finally {
      await gateway.stop()
      rmSync(dirname(backup), { recursive: true })
    }
  },
  TEST_MS,
)

test.concurrent(
  'given an unusable data folder, when Tollgate stops, then the log’s charges can be delivered once',
  async () => {
    const { upstream, open } = gatedUpstream()
    const { gateway, user, answers } = await begin(() =>
      startSingleGateway({ models: [MODEL], upstream }),
    )
    const { product, root } = gateway
    try {
      rmSync(join(product.dataDir, 'spool'), { recursive: true, force: true })
      writeFileSync(join(product.dataDir, 'spool'), 'a file where the folder should be')
      const letGo = await blockLedger(product)
      open()
      // Stopped at once: nobody was told anything yet.
      expect(await product.terminate()).toBe(0)
      await Promise.all(answers)
      await letGo()
      rmSync(join(product.dataDir, 'spool'))

      const log = join(product.dataDir, 'printed.log')
      writeFileSync(log, product.logs())
      const env = { DATA_DIR: product.dataDir }
      expect(await runCommand(CHARGES_CLI, ['deliver', log], env)).toMatchObject({
        err: '',
        code: 0,
        out: expect.stringContaining('6 charges delivered, 0 refused, 0 lines not read'),
      })
      await product.start()
      expect(await runCommand(CHARGES_CLI, ['deliver', log], env)).toMatchObject({ code: 0 })
      await root.logIn(ROOT.username, ROOT.password)
      await expectBalancedBooks(product, root, [user])
      expect(await chargesIn(product)).toBe(REQUESTS)
    } finally {
      await gateway.stop()
    }
  },
  TEST_MS,
)

test.concurrent(
  'given relay workers without NATS, when all stop, then one relay later charges for all of them',
  async () => {
    const { upstream, open } = gatedUpstream()
    const { gateway, user, answers } = await begin(() =>
      startDistributedGateway({
        models: [MODEL],
        upstream,
        product: { env: { RELAY_WORKERS: '2' } },
      }),
    )
    const { product, root } = gateway
    try {
      const relays = product.processes('relay')
      await product.nats.stop()
      open()
      const stoppedAt = performance.now()
      expect(await Promise.all(relays.map((relay) => relay.terminate()))).toEqual([0, 0])
      expect(performance.now() - stoppedAt).toBeLessThan(STOP_WITHIN_MS)
      await Promise.all(answers)
      expect(await chargesIn(product)).toBe(0)

      await product.nats.start()
      await relays[0]?.start()
      await until('all are charged', async () => (await chargesIn(product)) === REQUESTS, 60_000)
      await expectBalancedBooks(product, root, [user])
      expect(await chargesIn(product)).toBe(REQUESTS)
    } finally {
      await gateway.stop()
    }
  },
  TEST_MS,
)
