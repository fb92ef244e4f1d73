import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { WatchedPage } from '../support/browser/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'
import { openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** Replays as sources of the dashboard, in a real browser. */
let gateway: Gateway
let watched: WatchedPage
let page: Page
let id: string
const t = textsOf('en')
const MODELS = ['gpt-4o', 'gpt-4o-mini'] as const
const BUSY_MS = 180_000

beforeAll(async () => {
  gateway = await startGateway({ models: MODELS })
  const ann = await gateway.root.addUser('ann', 'long-enough-2', 1_500_000)
  const { key } = await ann.createToken({ name: 'notebook' })
  for (const model of MODELS)
    await gateway
      .openai(key)
      .chat.completions.create({ model, messages: [{ role: 'user', content: 'hello' }] })
  await until('the calls are logged', async () => (await ann.chargesLogged()) === MODELS.length)
  await gateway.root.setOption('ModelRatio', `{"${MODELS[0]}": 75, "${MODELS[1]}": 75}`)
  id = await replayed()
  watched = await openSignedIn(gateway, { language: 'en' })
  page = watched.page
}, 240_000)
afterAll(() => stopAll(page, gateway))

const told = z.object({ id: z.string(), status: z.string() })

/** A finished replay of yesterday and today at the prices of now, since midnight may pass after the calls. */
async function replayed(): Promise<string> {
  const day = 86_400_000
  const from = Math.floor(Date.now() / day) * day
  const body = {
    name: 'dearer',
    from: from - day,
    to: from + day,
    prices: 'today',
    by: ['model', 'user'],
  }
  const made = await gateway.root.ask('POST', '/api/replays', told, body)
  const isDone = async () =>
    (await gateway.root.ask('GET', `/api/replays/${made.id}`, told)).status === 'done'
  await until('the replay has ended', isDone, BUSY_MS)
  return made.id
}

test(
  'given a replay, when opened in the dashboard and laid over live data, then its differences show',
  async () => {
    await page.goto(`/replays?row=${id}`)
    await page.getByRole('link', { name: t('replays.openInDashboard') }).click()
    await page.waitForURL(`**/detail?source=${id}`)
    await page.getByRole('heading', { name: t('sources.greatest_user') }).waitFor()
    await page.getByRole('link', { name: 'ann' }).first().waitFor()
    await watched.expectAccessible()

    await page.getByLabel(t('sources.first')).selectOption('live')
    await page.waitForURL('**/detail')
    await page.getByRole('button', { name: t('dashboard.source') }).click()
    await page.getByLabel(t('sources.second')).selectOption('dearer')
    await page.waitForURL(`**/detail?over=${id}`)
    const table = page.getByRole('region', { name: t('sources.differences') }).last()
    const lines = table.locator('tbody tr')
    await expect.poll(() => lines.count()).toBe(2)
    // The hash tells which model is which; the dearer change is first.
    expect(await lines.first().textContent()).toMatch(/^gpt-4o.*\+\$.*\+[\d,.]+%$/u)
    await page.getByLabel(t('sources.dimension')).selectOption('user')
    await table.getByRole('link', { name: 'ann' }).waitFor()
    await page.getByLabel(t('sources.dimension')).selectOption('group')
    await page.getByText(/not kept by group/u).waitFor()
    await watched.expectAccessible()
    watched.expectNoComplaint()
  },
  BUSY_MS,
)
