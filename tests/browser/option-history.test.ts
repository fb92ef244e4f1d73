import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SectionName } from '../../console/src/features/settings/options.ts'
import type { WatchedPage } from '../support/browser/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** The history of a section lists user, time, old and new value of each change, for the super administrator. */
let gateway: Gateway
let watched: WatchedPage
let page: Page
const t = textsOf('en')

beforeAll(async () => {
  gateway = await startGateway({ models: ['gpt-4o-mini'] })
  const { root } = gateway
  await root.setOption('RetryTimes', '3')
  await root.setOption('RetryTimes', '5')
  await root.setOption('DisplayInCurrencyEnabled', 'false')
  await root.setOption('GroupRatio', '{"default":1,"vip":0.9,"svip":0.8,"staff":0.5}')
  await root.setOption('GroupRatio', '{"default":1,"vip":0.85,"staff":0.5}')
  await root.setOption('WorkerValidKey', 'worker-secret-1')
  await root.setOption('SensitiveWords', 'one\ntwo')
  watched = await openSignedIn(gateway, { language: 'en' })
  page = watched.page
}, 120_000)
afterAll(() => stopAll(page, gateway))

test('given changed options, when a section’s history opens, then who, when, old and new are there', async () => {
  await page.goto('/setting')
  const panel = await historyOf('general')
  await expect.poll(() => panel.getByRole('listitem').count()).toBe(3)
  const [newest, second, oldest] = await panel.getByRole('listitem').allTextContents()
  expect(newest).toContain(t('settings.field_DisplayInCurrencyEnabled'))
  expect(newest).toContain(`${t('settings.valueOn')} → ${t('settings.valueOff')}`)
  expect(second).toMatch(/3 → 5$/u)
  expect(oldest).toMatch(/0 → 3$/u)
  expect(newest).toMatch(/root · \d{4}-\d\d-\d\d \d\d:\d\d:\d\d/u)
  await watched.expectAccessible()
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'hidden' })
})

test('given a reason, when an option is saved with it, then it stands under the option and in the history', async () => {
  await page.goto('/setting?tab=system')
  const section = page.locator('#server')
  const title = t('settings.section_server')
  const reason = section.getByRole('textbox', { name: t('settings.noteOf', { title }) })
  await section.getByRole('textbox').first().waitFor()
  expect(await reason.count()).toBe(0)
  await section.getByRole('textbox').first().fill('https://gateway.example')
  await reason.fill('moved to its own domain')
  await watched.expectAccessible()
  await section.getByRole('button', { name: t('settings.saveOf', { title }), exact: true }).click()
  await section.getByText(/ · moved to its own domain$/u).waitFor()
  // Gone once the saved text has been read again.
  await expect.poll(() => reason.count()).toBe(0)
  const panel = await historyOf('server')
  await panel.getByText('moved to its own domain', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'hidden' })
})

test('given options of JSON and lines, when their history opens, then only what differs is shown', async () => {
  await page.goto('/setting')
  const groups = await historyOf('groups')
  const change = groups.getByRole('listitem').filter({ hasText: 'vip: ' }).first()
  await change.getByText('− svip: 0.8', { exact: true }).waitFor()
  expect(await change.textContent()).toMatch(/vip: 0\.9 → 0\.85/u)
  expect(await change.textContent()).not.toContain('staff')
  await watched.expectAccessible()
  await page.keyboard.press('Escape')
  await groups.waitFor({ state: 'hidden' })
  const words = await historyOf('sensitive')
  await words.getByText('+ two', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
})

test('given a secret and an unchanged section, when their history opens, then no secret’s text is there', async () => {
  await page.goto('/setting?tab=system')
  const worker = await historyOf('worker')
  await worker.getByText(t('settings.secretChanged')).waitFor()
  expect(await worker.textContent()).not.toContain('worker-secret')
  await page.keyboard.press('Escape')
  await worker.waitFor({ state: 'hidden' })
  const hintOf = (key: 'WorkerValidKey' | 'SMTPToken') =>
    page.getByLabel(t(`settings.field_${key}`), { exact: true }).getAttribute('placeholder')
  expect(await hintOf('WorkerValidKey')).toBe(t('form.keepSecret'))
  expect(await hintOf('SMTPToken')).toBe(t('form.noSecret'))
  const none = await historyOf('smtp')
  await none.getByText(t('settings.noHistory')).waitFor()
  await watched.expectAccessible()
  watched.expectNoComplaint()
})

async function historyOf(name: SectionName) {
  const title = t('settings.historyOf', { title: t(`settings.section_${name}`) })
  await page.getByRole('button', { name: title }).click()
  const panel = page.getByRole('dialog', { name: title })
  await panel.waitFor()
  return panel
}
