import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { textOf } from './sign-in.ts'
import { openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** Lists saved as a file: all that is filtered, in one call. */
let gateway: Gateway
let page: Page
const calls: string[] = []
const t = textsOf('zh')

beforeAll(async () => {
  gateway = await startGateway({ models: ['gpt-4o-mini'] })
  for (const name of ['spring', 'autumn']) {
    const made = { name, count: 100, quota: 1_000 }
    await gateway.root.ask('POST', '/api/redemption', z.unknown(), made)
  }
  for (let n = 1; n <= 12; n += 1) await gateway.root.addUser(`user${n}`, 'long-enough-2', n)
  ;({ page } = await openSignedIn(gateway))
  page.on('request', (request) => {
    if (request.headers()['accept'] === 'text/csv') calls.push(new URL(request.url()).pathname)
  })
}, 90_000)
afterAll(() => stopAll(page, gateway))

async function exported(from: string): Promise<{ name: string; rows: readonly string[] }> {
  const { name, head, rows } = await exportedFrom(from)
  expect(head).toMatch(/^\uFEFF?id,/u)
  return { name, rows }
}

async function exportedFrom(from: string) {
  calls.length = 0
  await page.goto(from)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: t('list.export') }).click(),
  ])
  const [head = '', ...rows] = (await textOf(file)).trim().split('\r\n')
  expect(calls).toHaveLength(1)
  return { name: file.suggestedFilename(), head, rows }
}

test('given 200 codes, when exported, then all are in the file; with a filter, those that it lets through', async () => {
  const all = await exported('/redemption')
  expect(all.name).toMatch(/^redemptions-\d{4}-\d\d-\d\d\.csv$/u)
  expect(all.rows).toHaveLength(200)
  const { rows } = await exported('/redemption?keyword=spring')
  expect(rows).toHaveLength(100)
  expect(rows.every((row) => row.includes('spring'))).toBe(true)
})

test('given users and a log, when exported, then each is whole', async () => {
  expect((await exported('/user')).rows).toHaveLength(13)
  const log = await exported('/log?type=3')
  expect(log.name).toMatch(/^usage-log-/u)
  const { total } = await gateway.root.ask(
    'GET',
    '/api/log/?type=3&p=1&page_size=10',
    z.object({ total: z.number() }),
  )
  expect(total).toBeGreaterThan(10)
  expect(log.rows).toHaveLength(total)
})

test.each([
  ['/audit/trial-balance', 'trial-balance', '/api/audit/trial-balance', 'account,'],
  ['/audit/events?type=CodeIssued', 'events', '/api/ledger/events', 'position,'],
  ['/audit/prices', 'price-history', '/api/ledger/prices', 'revision,'],
  ['/replays', 'replays', '/api/replays', 'id,'],
] as const)(
  'given %s, when exported, then %s is saved from %s',
  async (from, name, path, begin) => {
    const { name: saved, head, rows } = await exportedFrom(from)
    expect(saved).toMatch(new RegExp(`^${name}-\\d{4}-\\d\\d-\\d\\d\\.csv$`, 'u'))
    expect(calls).toEqual([path])
    expect(head.replace('\uFEFF', '').startsWith(begin)).toBe(true)
    expect(rows.length > 0).toBe(name !== 'replays')
    if (name === 'events') expect(rows).toHaveLength(200)
  },
)

test('given a server that cannot be reached, when exporting, then that is said and no file is saved', async () => {
  await page.goto('/redemption')
  await page.route('**/api/redemption/**', (route) => route.abort())
  await page.getByRole('button', { name: t('list.export') }).click()
  await page.getByText(t('failure.unreachable')).first().waitFor()
})
