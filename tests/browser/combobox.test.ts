import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { WatchedPage } from '../support/browser/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** Fields with a list of what can be chosen, by keyboard alone: in forms, in panels and in filters. */
let gateway: Gateway
let watched: WatchedPage
let page: Page

const t = textsOf('en')
const MODELS = Array.from({ length: 300 }, (_, index) => `model-${String(index).padStart(3, '0')}`)
const OF_OPENAI = ['model-007', 'model-070', 'model-170']

beforeAll(async () => {
  gateway = await startGateway({ models: [...MODELS, 'other'] })
  await gateway.root.addChannel({
    name: 'tagged',
    key: 'sk-tagged',
    base_url: gateway.upstream.url,
    tag: 'night-shift',
    models: OF_OPENAI.join(','),
  })
  watched = await openSignedIn(gateway, { language: 'en', width: 1280 })
  page = watched.page
})
afterAll(() => stopAll(page, gateway))

const options = () => page.getByRole('listbox').getByRole('option')
const keys = async (...names: string[]) => {
  for (const name of names) await page.keyboard.press(name)
}
/** The active option by the field, as a screen reader hears it. */
const active = async (field: Locator) => {
  const id = await field.getAttribute('aria-activedescendant')
  return id === null ? null : page.locator(`[id="${id}"]`).textContent()
}

test('given hundreds of models, when a token is limited to some, then keys and own names enter them', async () => {
  await page.goto('/token?add=true')
  const drawer = page.getByRole('dialog', { name: t('tokens.create') })
  await drawer.getByText(t('tokens.limitModels'), { exact: true }).click()
  const field = drawer.getByRole('combobox', { name: t('tokens.models') })
  const chosen = drawer.getByRole('list', { name: t('tokens.models') }).getByRole('listitem')
  await field.focus()
  expect(await field.getAttribute('aria-expanded')).toBe('false')
  await keys('ArrowDown')
  expect(await options().first().getAttribute('aria-setsize')).toBe('301')
  // Only what is in view is drawn.
  expect(await options().count()).toBeLessThan(30)
  await keys('ArrowUp')
  expect(await active(field)).toBe('other')
  await watched.expectAccessible()
  await keys('ArrowDown', 'Enter')
  expect(await chosen.allTextContents()).toEqual(['model-000'])

  await page.keyboard.type('07')
  expect(await options().allTextContents()).toEqual([
    'model-007',
    ...MODELS.filter((name) => name.includes('07') && name !== 'model-007'),
  ])
  await keys('ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'Enter')
  expect(await chosen.allTextContents()).toEqual(['model-000', 'model-070'])

  await page.keyboard.type('my-own-model')
  expect(await options().count()).toBe(0)
  await keys('Enter')
  expect(await chosen.allTextContents()).toEqual(['model-000', 'model-070', 'my-own-model'])

  await page.keyboard.type('model')
  await options().first().waitFor()
  await keys('Escape')
  await options().first().waitFor({ state: 'detached' })
  expect(await field.inputValue()).toBe('model')
  expect(await drawer.isVisible()).toBe(true)
  await keys('Escape')
  const question = page.getByRole('alertdialog', { name: t('form.unsavedTitle') })
  await question.getByRole('button', { name: t('form.discard') }).click()
  await drawer.waitFor({ state: 'hidden' })
  watched.expectNoComplaint()
})

test('given a channel’s form, when typing into its type, then the first match is taken', async () => {
  await page.goto('/channel/add')
  const drawer = page.getByRole('dialog', { name: t('channels.title_add') })
  const type = drawer.getByRole('combobox', { name: t('channels.type') })
  await type.focus()
  await page.keyboard.type('deeps')
  expect(await active(type)).toBe('DeepSeek')
  await keys('Enter')
  expect(await type.inputValue()).toBe('DeepSeek')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('no such type')
  await keys('Tab')
  expect(await type.inputValue()).toBe('DeepSeek')

  const tag = drawer.getByRole('combobox', { name: t('channels.tag') })
  await tag.focus()
  await page.keyboard.type('ni')
  await keys('ArrowDown', 'Enter')
  expect(await tag.inputValue()).toBe('night-shift')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('a tag of its own')
  await keys('Tab')
  expect(await tag.inputValue()).toBe('a tag of its own')
  await watched.expectAccessible()
  watched.expectNoComplaint()
})

test('given a filter with suggestions, when gone through by arrows, then Enter applies the active one', async () => {
  await page.goto('/log')
  await page.getByRole('button', { name: t('log.model'), exact: true }).click()
  const field = page.getByRole('combobox', { name: t('log.model') })
  await field.pressSequentially('model-29')
  await expect.poll(() => options().count()).toBe(10)
  await keys('ArrowDown', 'ArrowDown')
  expect(await active(field)).toBe('model-291')
  await watched.expectAccessible()
  await keys('Enter')
  await page.waitForURL('**/log?model=model-291')
  watched.expectNoComplaint()
})
