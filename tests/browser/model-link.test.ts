import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { logCaughtUp } from '../support/books.ts'
import { openChromium } from '../support/browser/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { openSignedInPage } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** From a figure of the dashboard to the rows behind it, in a real browser. */
let gateway: Gateway
let browser: Browser

const t = textsOf('en')
/** The first one's name is part of the second one's. */
const MODELS = ['gpt-4o', 'gpt-4o-mini'] as const

beforeAll(async () => {
  gateway = await startGateway({ models: MODELS })
  const { key } = await gateway.root.createToken({ name: 'clicked' })
  for (const model of MODELS) {
    await gateway
      .openai(key)
      .chat.completions.create({ model, messages: [{ role: 'user', content: 'hello' }] })
  }
  await logCaughtUp(gateway.product, gateway.root)
  browser = await openChromium()
})
afterAll(async () => {
  await browser.close()
  await gateway.stop()
})

test('given a model named like another’s beginning, when it is clicked, then the log shows it alone', async () => {
  const view = { language: 'en', theme: 'light', width: 1280 } as const
  const watched = await openSignedInPage(browser, gateway.product.url, view)
  const { page } = watched

  await page.goto('/detail')
  await page.getByRole('link', { name: 'gpt-4o', exact: true }).first().click()
  await page.waitForURL('**/log?*model=gpt-4o*')
  const rows = page.getByRole('row').filter({ hasText: 'clicked' })
  await rows.first().waitFor()
  expect(await rows.count()).toBe(1)
  expect(await rows.filter({ hasText: 'gpt-4o-mini' }).count()).toBe(0)

  await page.getByRole('button', { name: `${t('log.model')}: gpt-4o`, exact: true }).click()
  const box = page.getByRole('combobox', { name: t('log.model') })
  await box.fill('gpt-4o%')
  await box.press('Enter')
  await rows.nth(1).waitFor()
  expect(await rows.count()).toBe(2)
  watched.expectNoComplaint()
})
