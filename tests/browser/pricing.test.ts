import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchOwnChromium, openPage, type WatchedPage } from '../support/browser/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { openSignedInPage } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** Tests of the prices of models, as visitors and users read them and as root sets them. */
let gateway: Gateway
let browser: Browser
const t = textsOf('zh')
/** A busy machine takes its time. */
const PATIENCE = { timeout: 30_000 }
const MODELS = ['gpt-4o-mini', 'gpt-4o', 'dall-e-3']

beforeAll(async () => {
  gateway = await startGateway({ models: MODELS })
  await gateway.root.addChannel({
    name: 'best',
    key: 'sk-best',
    base_url: gateway.upstream.url,
    models: MODELS.join(','),
    group: 'vip',
  })
  await gateway.root.setOption('GroupRatio', '{"default":1,"vip":0.5}')
  await gateway.root.setOption('UserUsableGroups', '{"default":"everybody","vip":"the best"}')
  browser = await launchOwnChromium()
}, 90_000)
afterAll(async () => {
  await browser.close()
  await gateway.stop()
})

const VIEW = { language: 'zh', theme: 'light', width: 1366 } as const
const openForRoot = async (): Promise<WatchedPage> => {
  const watched = await openSignedInPage(browser, gateway.product.url, VIEW)
  await watched.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  return watched
}
const rowOf = (page: Page, model: string) =>
  page.getByRole('row').filter({ has: page.getByText(model, { exact: true }) })
const copied = (page: Page) => page.evaluate('navigator.clipboard.readText()')

test('given a visitor, when prices are opened, then they are warned whose these are, and read the formula', async () => {
  const { page } = await openPage(browser, gateway.product.url, VIEW)
  await page.goto('/pricing')
  await page.getByText(t('pricing.visitor', { group: 'default', ratio: '1' }).trim()).waitFor()
  await page.getByText('按量计费费用 = 分组倍率 × 模型倍率').waitFor()
  await page.context().close()
})

test('given a user, when prices are read, then models can be found, copied and compared by group', async () => {
  const watched = await openForRoot()
  const { page } = watched
  await page.goto('/pricing')
  await page.getByText(t('pricing.ownGroup', { group: 'default', ratio: '1' })).waitFor()
  const row = rowOf(page, 'gpt-4o')
  await row.getByText(t('pricing.byTokens')).waitFor()
  await row.getByText(t('pricing.isAvailable')).waitFor({ state: 'attached' })
  await row.getByText('1.25 × 4 × 1', { exact: true }).waitFor()
  await row.getByText('2.50', { exact: true }).waitFor()
  await row.getByText('10.00', { exact: true }).waitFor()
  await rowOf(page, 'dall-e-3').getByText(t('pricing.byCall')).waitFor()
  expect(await page.getByRole('combobox', { name: t('table.pageSize') }).count()).toBe(0)

  await row
    .getByRole('button', { name: t('pricing.viewGroup', { name: 'vip', ratio: '0.5' }) })
    .click()
  await page.getByText('当前查看的分组为：vip，倍率为：0.5').first().waitFor()
  await row.getByText('1.25 × 4 × 0.5', { exact: true }).waitFor()
  await row.getByText('5.00', { exact: true }).waitFor()

  await row.getByRole('button', { name: `${t('pricing.copyName')}: gpt-4o` }).click()
  await expect.poll(() => copied(page), PATIENCE).toBe('gpt-4o')
  await page.getByRole('checkbox', { name: t('table.selectAll') }).check()
  await page.getByRole('button', { name: t('pricing.copySelected', { n: '3' }) }).click()
  await expect
    .poll(() => copied(page), PATIENCE)
    .toMatch(/^gpt-4o(?:-mini)?,gpt-4o(?:-mini)?,dall-e-3$/u)

  await page.getByRole('searchbox', { name: t('pricing.search') }).fill('g4m')
  await page.keyboard.press('Enter')
  await rowOf(page, 'dall-e-3').waitFor({ state: 'detached' })
  await rowOf(page, 'gpt-4o-mini').waitFor()
  const card = page.getByRole('region', { name: t('place.pricing'), exact: true })
  expect(await card.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
  await watched.expectAccessible()
  watched.expectNoComplaint()
  await page.context().close()
})

test('given the price editor, when prices are typed, then the seeds’ rules hold and are said', async () => {
  const { page } = await openForRoot()
  await page.goto('/setting?prices=visual')
  await page.getByRole('searchbox', { name: t('pricing.search') }).fill('gpt-4o-mini')
  await page.keyboard.press('Enter')
  const field = (
    name: 'callPrice' | 'modelRatio' | 'completionRatio' | 'inputPrice' | 'outputPrice',
  ) => page.getByLabel(`gpt-4o-mini: ${t(`pricing.${name}`)}`, { exact: true })
  await field('callPrice').fill('0')
  await page.getByText('价格不能为 0').waitFor()
  await field('callPrice').fill('0.1')
  expect(await field('modelRatio').isDisabled()).toBe(true)
  expect(await field('completionRatio').isDisabled()).toBe(true)
  await field('callPrice').fill('')
  expect(await field('modelRatio').inputValue()).toBe('0.075')
  expect(await field('modelRatio').isEnabled()).toBe(true)

  const name = page.getByLabel(t('pricing.newModel'))
  await name.fill('gpt-4o')
  await page.getByRole('button', { name: t('pricing.addModel') }).click()
  await page.getByText('模型名称已存在').waitFor()

  const batch = (n: string) => page.getByRole('button', { name: t('pricing.batch', { n }) })
  expect(await batch('0').isDisabled()).toBe(true)
  await page.getByRole('checkbox', { name: t('table.selectRow', { id: 'gpt-4o-mini' }) }).check()
  await batch('1').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: t('pricing.apply') }).click()
  await dialog.getByText('请输入有效的数字').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await batch('1').click()
  await dialog.getByLabel(t('pricing.modelRatio')).fill('2')
  await page.keyboard.press('Escape')
  const question = page.getByRole('alertdialog', { name: t('form.unsavedTitle') })
  await question.getByRole('button', { name: t('form.discard') }).click()
  await dialog.waitFor({ state: 'hidden' })

  await page
    .getByRole('group', { name: t('pricing.entryMode') })
    .getByRole('button', { name: t('pricing.asPrices') })
    .click()
  expect(await field('inputPrice').inputValue()).toBe('0.15')
  // No completion ratio is set: what the output costs follows from the built-in one.
  expect(await field('outputPrice').inputValue()).toBe('')
  expect(await field('outputPrice').getAttribute('placeholder')).toBe('0.6')
  const ratiosOf = (model: string) =>
    page.getByRole('row').filter({ hasText: model }).locator('.other')
  await expect.poll(() => ratiosOf('gpt-4o-mini').first().textContent()).toBe('0.075 / 4')

  // No channel serves it, and its price is known all the same; also of a name that is new.
  await page.getByRole('searchbox', { name: t('pricing.search') }).fill('claude-2.1')
  await page.keyboard.press('Enter')
  await expect.poll(() => ratiosOf('claude-2.1').textContent()).toBe('4 / 3')
  await name.fill('o3-of-mine')
  await page.getByRole('button', { name: t('pricing.addModel') }).click()
  await page.getByRole('searchbox', { name: t('pricing.search') }).fill('o3-of-mine')
  await page.keyboard.press('Enter')
  await page.getByLabel(`o3-of-mine: ${t('pricing.inputPrice')}`, { exact: true }).fill('3')
  await expect.poll(() => ratiosOf('o3-of-mine').textContent()).toBe('1.5 / 4')
  await page.context().close()
})

test('given the price editor, when it is on a phone, then the box that selects all says so', async () => {
  const { page } = await openForRoot()
  await page.goto('/setting?prices=visual')
  const box = page.getByRole('checkbox', { name: t('table.selectAll'), exact: true })
  await box.waitFor()
  const words = page
    .getByRole('region', { name: t('pricing.editorTitle') })
    .getByText(t('table.selectAll'), { exact: true })
  expect(await words.isVisible()).toBe(false)
  await page.setViewportSize({ width: 390, height: 800 })
  await words.click()
  await expect.poll(() => box.isChecked(), PATIENCE).toBe(true)
  const size = await page.getByRole('combobox', { name: t('table.pageSize') }).boundingBox()
  const next = await page.getByRole('button', { name: t('table.next') }).boundingBox()
  expect(next?.y).toBe(size?.y)
  await page.context().close()
})
