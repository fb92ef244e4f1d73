import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { WatchedPage } from '../support/browser/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** Times in the zone that the reader chooses, wherever they are written or typed. */
let gateway: Gateway
let watched: WatchedPage
let page: Page

const t = textsOf('en')
const TEHRAN = 'Asia/Tehran'
/** Iran is that much ahead of UTC, all the year. */
const AHEAD_MS = (3 * 60 + 30) * 60_000

beforeAll(async () => {
  gateway = await startGateway({ models: ['gpt-4o-mini'] })
  await gateway.root.ask('POST', '/api/token/', z.unknown(), { name: 'try', expired_time: -1 })
  watched = await openSignedIn(gateway, { language: 'en', width: 1280, timeZone: TEHRAN })
  page = watched.page
})
afterAll(() => stopAll(page, gateway))

const time = () => page.locator('tbody time').first()
const clockAt = (moment: number) => new Date(moment).toISOString().slice(0, 19).replace('T', ' ')
const choice = () => page.getByRole('combobox', { name: t('range.zoneLabel') })

async function openRange(): Promise<void> {
  await page.getByRole('button', { name: t('range.label') }).click()
  await choice().waitFor()
}

test('given a browser in Iran, when UTC is chosen, then times are rewritten and filters keep theirs', async () => {
  const start = Date.UTC(2026, 0, 2, 3, 4, 5) / 1000
  await page.goto(`/log?start=${start}`)
  const moment = Date.parse((await time().getAttribute('datetime')) ?? '')
  expect(await time().textContent()).toBe(clockAt(moment + AHEAD_MS))
  await openRange()
  const from = page.getByLabel(t('range.start'))
  expect(await from.inputValue()).toBe('2026-01-02 06:34:05')
  const server = await gateway.root.ask('GET', '/api/status', z.object({ time_zone: z.string() }))
  const names = await choice().locator('option').allTextContents()
  expect(names[0]).toBe(t('range.zoneOfBrowser', { zone: `${TEHRAN}, UTC+03:30` }))
  expect(names.filter((name) => name.startsWith(server.time_zone))).toHaveLength(1)
  await watched.expectAccessible()

  await choice().selectOption('UTC')
  expect(await time().textContent()).toBe(clockAt(moment))
  expect(await from.inputValue()).toBe('2026-01-02 03:04:05')
  await page.getByRole('button', { name: /2026-01-02 03:04:05 – … \(UTC\)/u }).waitFor()
  expect(new URL(page.url()).search).toBe(`?start=${start}`)
  await from.fill('2026-01-02')
  await from.press('Enter')
  await page.waitForURL(`**/log?start=${Date.UTC(2026, 0, 2) / 1000}`)

  await page.reload()
  expect(await time().textContent()).toBe(clockAt(moment))
  // The first steps' line may still come, and move the rows from under the pointer.
  await page.waitForLoadState('networkidle')
  await time().hover()
  await page.getByRole('tooltip').filter({ hasText: /^UTC/u }).waitFor()
  await page.goto('/detail')
  await openRange()
  await choice().selectOption('')
  await page.goto('/log')
  expect(await time().textContent()).toBe(clockAt(moment + AHEAD_MS))
  watched.expectNoComplaint()
})

test('given UTC, chosen on the account’s page, when the expiry of a token is typed, then it is in UTC', async () => {
  await page.goto('/personal')
  await choice().selectOption('UTC')
  await page.goto('/token?add=true')
  const drawer = page.getByRole('dialog', { name: t('tokens.create') })
  await drawer.getByLabel(t('tokens.name')).fill('zoned')
  await drawer.getByRole('button', { name: t('tokens.chooseTime') }).click()
  await drawer.getByText(t('range.zone', { zone: 'UTC' })).waitFor()
  await drawer.getByLabel(t('tokens.expires')).first().fill('2038-01-01 12:00')
  const sent = page.waitForRequest(
    (request) => request.method() === 'POST' && request.url().endsWith('/api/token/'),
  )
  await drawer.getByRole('button', { name: t('action.save'), exact: true }).click()
  expect((await sent).postDataJSON()).toMatchObject({
    expired_time: Date.UTC(2038, 0, 1, 12) / 1000,
  })
  await drawer.waitFor({ state: 'hidden' })
  watched.expectNoComplaint()
})
