import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Gateway } from '../support/gateway.ts'
import { startGateway } from '../support/gateway.ts'
import { openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** Rules of every form of the console: typed things are never lost without a word, and refusals stand in the form. */
let gateway: Gateway
let page: Page

const t = textsOf('en')

beforeAll(async () => {
  gateway = await startGateway({ models: ['gpt-4o-mini'] })
  ;({ page } = await openSignedIn(gateway, { language: 'en', width: 1280 }))
})
afterAll(() => stopAll(page, gateway))
beforeEach(async () => {
  await page.goto('/log')
  await page.getByRole('link', { name: t('place.tokens') }).click()
  await page.waitForURL('**/token')
})

const drawer = () => page.getByRole('dialog', { name: t('tokens.create') })
const question = () => page.getByRole('alertdialog', { name: t('form.unsavedTitle') })
const name = () => drawer().getByLabel(t('tokens.name'))

async function open(): Promise<void> {
  await page
    .getByRole('button', { name: t('tokens.create') })
    .first()
    .click()
  await drawer().waitFor()
}

test('given a half-typed form, when going back, then it asks, and stays as typed until it is given up', async () => {
  await open()
  await name().fill('half')
  await page.goBack({ waitUntil: 'commit' }).catch(() => null)
  await question()
    .getByRole('button', { name: t('action.cancel') })
    .click()
  await question().waitFor({ state: 'hidden' })
  expect(await name().inputValue()).toBe('half')
  await page.goBack({ waitUntil: 'commit' }).catch(() => null)
  await question()
    .getByRole('button', { name: t('form.discard') })
    .click()
  await drawer().waitFor({ state: 'hidden' })
  await page.waitForURL('**/token')
})

test('given a half-typed form, when closed, then it asks; when nothing was typed, then it closes', async () => {
  await open()
  await name().fill('half')
  await drawer()
    .getByRole('button', { name: t('action.close') })
    .click()
  await question()
    .getByRole('button', { name: t('form.discard') })
    .click()
  await drawer().waitFor({ state: 'hidden' })
  await open()
  await page.keyboard.press('Escape')
  await drawer().waitFor({ state: 'hidden' })
})

test('given a form, when reloading, then the browser asks only if something was typed', async () => {
  await open()
  await name().fill('half')
  const asked = page.waitForEvent('dialog')
  const reload = page.reload().catch(() => null)
  const dialog = await asked
  expect(dialog.type()).toBe('beforeunload')
  await dialog.accept()
  await reload
  // The form is in the address, so it is open again, without what was given up.
  await drawer().waitFor()
  expect(await name().inputValue()).toBe('')
  // Playwright would leave an unanswered question standing, and this reload would never end.
  await page.reload()
  await drawer().waitFor()
})

test('given a wrong field, when left or sent, then it says what is wrong; Ctrl-Enter saves it', async () => {
  await open()
  await name().press('Control+Enter')
  await drawer().getByText(t('tokens.problem_required')).waitFor()
  await name().fill('by-key')
  await drawer().getByText(t('tokens.problem_required')).waitFor({ state: 'hidden' })
  const count = drawer().getByLabel(t('tokens.count'))
  await count.fill('none')
  await count.blur()
  await drawer().getByText(t('tokens.problem_count')).waitFor()
  await count.fill('1')
  await count.press('Control+Enter')
  await drawer().waitFor({ state: 'hidden' })
  await page.getByRole('row').filter({ hasText: 'by-key' }).waitFor()
})

test('given a save that fails, when it comes back, then the form says why and everything is still there', async () => {
  await page.route('**/api/token/', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ json: { success: false, message: 'the pen is empty', data: null } })
      : route.continue(),
  )
  await open()
  await name().fill('kept')
  await drawer()
    .getByRole('button', { name: t('action.save') })
    .click()
  await drawer().getByRole('alert').getByText('the pen is empty').waitFor()
  expect(await name().inputValue()).toBe('kept')
  await page.unroute('**/api/token/')
  await drawer()
    .getByRole('button', { name: t('action.save') })
    .click()
  await drawer().waitFor({ state: 'hidden' })
  await page.getByRole('row').filter({ hasText: 'kept' }).waitFor()
})

test('given a refusal about one field, when it comes back, then the field has it and the focus', async () => {
  await open()
  await name().fill('guarded')
  const addresses = drawer().getByLabel(t('tokens.allowIps'))
  await addresses.fill('not-an-address')
  await name().focus()
  await name().press('Control+Enter')
  await drawer().getByText('Not a valid IP address or network: not-an-address').waitFor()
  await expect.poll(() => addresses.evaluate((field) => field.matches(':focus'))).toBe(true)
  expect(await addresses.getAttribute('aria-invalid')).toBe('true')
  expect(await drawer().getByRole('alert').count()).toBe(0)
  await addresses.fill('203.0.113.7')
  expect(await addresses.getAttribute('aria-invalid')).toBeNull()
  await addresses.press('Control+Enter')
  await drawer().waitFor({ state: 'hidden' })
})

test('given a save whose answer is lost, when sent again, then its key is the same; the next is another', async () => {
  const keys: string[] = []
  let isLost = true
  await page.route('**/api/token/', async (route) => {
    const request = route.request()
    if (request.method() !== 'POST') return route.continue()
    keys.push(request.headers()['idempotency-key'] ?? '')
    if (!isLost) return route.continue()
    isLost = false
    await route.fetch()
    return route.abort()
  })
  const save = () =>
    drawer()
      .getByRole('button', { name: t('action.save') })
      .click()
  await open()
  await name().fill('sent-twice')
  await save()
  await drawer().getByRole('alert').waitFor()
  await save()
  await drawer().waitFor({ state: 'hidden' })
  const rows = page.getByRole('row').filter({ hasText: 'sent-twice' })
  await rows.first().waitFor()
  expect(await rows.count()).toBe(1)
  await open()
  await name().fill('sent-twice')
  await save()
  await drawer().waitFor({ state: 'hidden' })
  await page.unroute('**/api/token/')
  await expect.poll(() => rows.count()).toBe(2)
  expect(keys[0]).toMatch(/^[\d-]+$/)
  expect(keys[1]).toBe(keys[0])
  expect(keys[2]).not.toBe(keys[0])
})
