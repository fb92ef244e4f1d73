import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { changeAnswers, type WatchedPage } from '../support/browser/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { openBeside, openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** Tests of the form of a token, batches that stop on the way, the states of a token, and long lists. */
let gateway: Gateway
let watched: WatchedPage
let page: Page
const t = textsOf('zh')
/** For a busy machine. */
const PATIENT = { timeout: 30_000 }
const HOUR_S = 3600

beforeAll(async () => {
  gateway = await startGateway({ models: ['gpt-4o-mini'] })
  watched = await openSignedIn(gateway)
  page = watched.page
})
afterAll(() => stopAll(page, gateway))

const drawer = () => page.getByRole('dialog')
const save = () => drawer().getByRole('button', { name: t('action.save') })

test('given a new token, when its form opens, then 10, 20, 30 and 100 at once are a click away', async () => {
  await page.goto('/token?add=true')
  for (const count of ['10', '20', '30', '100']) {
    await drawer().getByRole('button', { name: count, exact: true }).click()
    expect(await drawer().getByLabel(t('tokens.count')).inputValue()).toBe(count)
  }
})

test.each([
  ['hour', HOUR_S],
  ['day', 24 * HOUR_S],
  ['month', 30 * 24 * HOUR_S],
] as const)(
  'given a token that lives for one %s, when clicked and saved, then it expires then, or never',
  async (name, seconds) => {
    await page.goto('/token?add=true')
    await drawer().getByLabel(t('tokens.name')).fill(name)
    await drawer()
      .getByRole('button', { name: t('tokens.never') })
      .click()
    expect(
      await drawer().getByLabel(t('tokens.expires')).and(drawer().getByRole('textbox')).count(),
    ).toBe(0)
    await drawer()
      .getByRole('button', { name: t(`tokens.one_${name}`) })
      .click()
    const asked = page.waitForRequest((request) => request.method() === 'POST')
    const now = Date.now() / 1000
    await save().click()
    const { expired_time: expiry } = (await asked).postDataJSON() as { expired_time: number }
    expect(Math.abs(expiry - now - seconds)).toBeLessThan(30)
    await page.waitForURL((url) => url.searchParams.has('row'))
  },
)

test('given a batch whose third is refused, when saved, then it stops there and can go on', async () => {
  await page.goto('/token?add=true')
  await drawer().getByLabel(t('tokens.name')).fill('批次')
  await drawer().getByLabel(t('tokens.count')).fill('5')
  let posts = 0
  await page.route('**/api/token/', (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    posts += 1
    return posts === 3
      ? route.fulfill({ json: { success: false, message: '数据库错误' } })
      : route.continue()
  })
  await save().click()
  await drawer().getByText('数据库错误').waitFor()
  await page.getByText('已创建 2 个令牌，还有 3 个未创建；再次保存会继续创建。').waitFor()
  expect(posts).toBe(3)
  expect(await drawer().getByLabel(t('tokens.count')).inputValue()).toBe('3')
  await save().click()
  const made = page.getByRole('dialog', { name: t('tokens.madeTitle', { count: '5' }) })
  await made.waitFor(PATIENT)
  expect(posts).toBe(6)
  await page.unroute('**/api/token/')
  const names = (await listed()).map(({ name }) => name)
  expect(names.filter((name) => name.startsWith('批次'))).toHaveLength(5)
})

test('given tokens in all states, when listed, then each has its word', async () => {
  const words = ['已启用', '已禁用', '已过期', '已耗尽'] as const
  const tokens = await listed()
  const row = (name: string) =>
    page.locator('tbody tr[data-row]').filter({ has: page.getByText(name, { exact: true }) })
  const stopChanging = await changeAnswers(page, '**/api/token/?*', (text) => {
    const body = JSON.parse(text) as { data: { status: number }[] }
    for (const [index, listedToken] of body.data.slice(0, 4).entries())
      listedToken.status = index + 1
    return JSON.stringify(body)
  })
  await page.goto('/token')
  for (const [index, word] of words.entries())
    await row(tokens[index]?.name ?? '')
      .getByText(word, { exact: true })
      .waitFor()
  await stopChanging()
})

test('given more than a hundred tokens, when a list of 500 is asked for, then it has 100', async () => {
  await page.goto('/token?add=true')
  await drawer().getByLabel(t('tokens.name')).fill('many')
  await drawer().getByRole('button', { name: '100', exact: true }).click()
  await save().click()
  const made = page.getByRole('dialog', { name: t('tokens.madeTitle', { count: '100' }) })
  await made.waitFor({ timeout: 120_000 })
  expect(await gateway.root.ask('GET', '/api/token/?p=0&size=500', tokenList)).toHaveLength(100)
  expect(await gateway.root.ask('GET', '/api/token/?p=1&size=500', tokenList)).toHaveLength(8)
  await page.goto('/token?size=100')
  await expect.poll(() => page.locator('tbody tr[data-row]').count(), PATIENT).toBe(100)
  watched.expectNoComplaint()
}, 180_000)

test('given no balance and a contact, when a token is wanted, then the dialog has the contact’s picture', async () => {
  const picture = 'https://pictures.example/contact.svg'
  await gateway.root.setOption('ContactImageURL', picture)
  await gateway.root.addUser('poor', 'long-enough-2', 0)
  const { page: poor } = await openBeside(page, gateway, {
    theme: 'dark',
    width: 1280,
    who: { username: 'poor', password: 'long-enough-2' },
  })
  await poor.route(picture, (route) =>
    route.fulfill({
      contentType: 'image/svg+xml',
      body: '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"/>',
    }),
  )
  await poor.goto('/token?add=true')
  await poor.getByRole('dialog').getByLabel(t('tokens.name')).fill('none')
  await poor
    .getByRole('dialog')
    .getByRole('button', { name: t('action.save') })
    .click()
  const dialog = poor.getByRole('alertdialog', { name: t('tokens.noBalanceTitle') })
  const image = dialog.getByRole('img', { name: t('tokens.contactImage') })
  await image.waitFor()
  expect(await image.getAttribute('src')).toBe(picture)
  const width = () =>
    image.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth)
  await expect.poll(width).toBe(40)
  await poor.context().close()
})

const tokenList = z.array(z.object({ id: z.number(), name: z.string() }))
const listed = (): Promise<z.output<typeof tokenList>> =>
  gateway.root.ask('GET', '/api/token/?p=0&size=100', tokenList)
