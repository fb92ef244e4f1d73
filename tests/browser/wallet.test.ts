import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { WatchedPage } from '../support/browser/browser.ts'
import { openChromium } from '../support/browser/browser.ts'
import type { ConsoleClient } from '../support/console-client.ts'
import type { Product } from '../support/product-kinds.ts'
import { startProduct } from '../support/product.ts'
import { type EpayGateway, startEpayGateway } from '../support/providers/epay-gateway.ts'
import { BEHIND_PROXY, MERCHANT, openShop, PASSWORD, type Shop } from '../support/wallet.ts'
import { textOf } from './sign-in.ts'
import { openSignedInPage } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** The wallet as somebody uses it who buys quota: redeeming, paying at a stand-in gateway, and seeing what came of it. */
let product: Product
let gateway: EpayGateway
let shop: Shop
let buyer: ConsoleClient
let browser: Browser
let watched: WatchedPage
let page: Page
const t = textsOf('zh')

beforeAll(async () => {
  gateway = await startEpayGateway(MERCHANT)
  product = await startProduct({ env: BEHIND_PROXY })
  shop = await openShop(product, gateway)
  ;[buyer = shop.root] = await shop.addUsers('buyer', 1)
  browser = await openChromium()
  const who = { username: 'buyer0', password: PASSWORD }
  watched = await openSignedInPage(browser, product.url, { width: 1280, who })
  page = watched.page
}, 90_000)
afterAll(async () => {
  await browser.close()
  await product.dispose()
  await gateway.close()
})

const card = (title: Parameters<typeof t>[0]) =>
  page.getByRole('region', { name: t(title), exact: true })
const openWallet = async (): Promise<void> => {
  await page.goto('/topup')
  await card('wallet.account').getByText('$').first().waitFor()
}

test('given the wallet, when a code is redeemed, then balance and list show it, or its mistake', async () => {
  await openWallet()
  const redeem = card('wallet.redeem')
  const submit = redeem.getByRole('button', { name: t('wallet.redeemSubmit'), exact: true })
  await submit.click()
  await redeem.getByText('请输入兑换码！').waitFor()
  await redeem.getByLabel(t('wallet.code')).fill('0123456789abcdef0123456789abcdef')
  await submit.click()
  await redeem.getByText('兑换失败，无效的兑换码').waitFor()
  expect(await page.getByText('兑换失败，无效的兑换码').count()).toBe(1)
  expect(await redeem.getByLabel(t('wallet.code')).getAttribute('aria-invalid')).toBe('true')
  const [code = ''] = await shop.makeCodes(1, 1_000_001)
  await redeem.getByLabel(t('wallet.code')).fill(code)
  await submit.click()
  await page.getByText(t('wallet.redeemed', { amount: '$2.000002' })).waitFor()
  await card('wallet.account').getByText('$2.000002').first().waitFor()
  await card('wallet.redemptions').getByText('+$2.000002').waitFor()
  await card('wallet.redemptions')
    .getByText(`${code.slice(0, 4)}…${code.slice(-4)}`)
    .waitFor()
  await redeem.getByLabel(t('wallet.code')).fill(code)
  await submit.click()
  await redeem.getByText('兑换失败，该兑换码已被使用').waitFor()
  await watched.expectAccessible()
  watched.expectNoComplaint()
})

test('given a code being redeemed, when its form is sent again, then it is sent once', async () => {
  const redeem = card('wallet.redeem')
  const submit = redeem.getByRole('button', { name: t('wallet.redeemSubmit'), exact: true })
  const field = redeem.getByLabel(t('wallet.code'))
  const held = Promise.withResolvers<void>()
  let posts = 0
  await page.route('**/api/user/topup', async (route) => {
    posts += 1
    await held.promise
    await route.continue()
  })
  await field.fill('fedcba9876543210fedcba9876543210')
  await field.press('Control+Enter')
  await expect.poll(() => posts).toBe(1)
  await expect.poll(() => submit.getAttribute('aria-busy')).toBe('true')
  await field.press('Control+Enter')
  held.resolve()
  await redeem.getByText('兑换失败，无效的兑换码').waitFor()
  await expect.poll(() => submit.getAttribute('aria-busy')).toBeNull()
  await page.unroute('**/api/user/topup')
  expect(posts).toBe(1)
})

test('given no link to buy codes, when the wallet is opened, then it says so; a link is opened', async () => {
  await openWallet()
  await card('wallet.redeem').getByText('超级管理员未设置充值链接！').waitFor()
  await shop.root.setOption('TopUpLink', 'https://codes.example.com/')
  await page.reload()
  const link = page.getByRole('link', { name: t('wallet.getCode') })
  expect(await link.getAttribute('href')).toBe('https://codes.example.com/')
})

test('given amounts typed, when they are too small, then they are forced to 1 and the minimum is named', async () => {
  await shop.root.setOption('MinTopUp', '2')
  await page.reload()
  const online = card('wallet.online')
  const amount = online.getByLabel(t('wallet.amount'))
  await amount.fill('0')
  expect(await amount.inputValue()).toBe('1')
  await online.getByText('充值数量不能小于 2').waitFor()
  const pay = online.getByRole('button', {
    name: t('wallet.payBy', { method: t('wallet.zfb') }),
  })
  expect(await pay.isDisabled()).toBe(true)
  await online.getByRole('button', { name: '$10', exact: true }).click()
  expect(await amount.inputValue()).toBe('10')
  await online.getByText(t('wallet.yuan', { money: '73.00' })).waitFor()
})

test('given a refused order, when it is about the amount, then it stands there, else below the form', async () => {
  await openWallet()
  const online = card('wallet.online')
  const amount = online.getByLabel(t('wallet.amount'))
  const order = async (typed: string): Promise<void> => {
    await amount.fill(typed)
    await online
      .getByRole('button', { name: t('wallet.payBy', { method: t('wallet.zfb') }) })
      .click()
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: t('wallet.confirm') })
      .click()
  }
  const refuse = (code: string, message: string) =>
    page.route(
      '**/api/user/pay',
      (route) => route.fulfill({ json: { message: 'error', data: message, code } }),
      { times: 1 },
    )
  await refuse('top_up_amount_too_low', '充值数量不能小于 20')
  await order('5')
  await online.getByText('充值数量不能小于 20').waitFor()
  expect(await amount.getAttribute('aria-invalid')).toBe('true')
  expect(await page.getByText('充值数量不能小于 20').count()).toBe(1)
  await refuse('top_up_not_started', '拉起支付失败')
  await order('6')
  await online.getByRole('alert').getByText('拉起支付失败').waitFor()
  expect(await amount.getAttribute('aria-invalid')).not.toBe('true')
  expect(await page.getByText('拉起支付失败').count()).toBe(1)
  await amount.fill('7')
  expect(await page.getByText('拉起支付失败').count()).toBe(0)
  watched.expectNoComplaint()
})

test.each([
  ['zfb', 'alipay', '10', '73.00', '+$10.00'],
  ['wx', 'wxpay', '3', '21.90', '+$3.00'],
] as const)(
  'given an order by %s, when the gateway has its form and is paid, then order and balance show it',
  async (method, type, amount, money, credit) => {
    await openWallet()
    const online = card('wallet.online')
    await online.getByLabel(t('wallet.amount')).fill(amount)
    await online.getByText(t('wallet.yuan', { money })).waitFor()
    const name = t('wallet.payBy', { method: t(`wallet.${method}`) })
    await online.getByRole('button', { name }).click()
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: t('wallet.confirm') })
      .click()
    await page.waitForURL(`${gateway.url}/submit.php`)
    await page.getByText('pay here').waitFor()
    const form = [...gateway.orders.values()].at(-1)
    expect(form).toMatchObject({ type, money, name: `TUC${amount}` })
    const number = form?.['out_trade_no'] ?? ''
    await openWallet()
    const order = card('wallet.orders').getByRole('listitem').filter({ hasText: number })
    await order.getByText(t('wallet.state_pending')).waitFor()
    expect(await gateway.notify(number)).toBe('success')
    await order.getByText(t('wallet.state_paid')).waitFor({ timeout: 60_000 })
    await order.getByText(credit).waitFor()
  },
  120_000,
)

test('given what was bought, when the balance is asked for, then page and server agree', async () => {
  const { quota } = await buyer.self()
  expect(quota).toBe(1_000_001 + 6_500_000)
  await card('wallet.account').getByText('$15.000002').first().waitFor()
})

test.each([
  ['wallet.orders', 'top-ups', 'trade_no', 2],
  ['wallet.redemptions', 'redeemed-codes', 'key_hint', 1],
] as const)(
  'given the list %s, when exported, then its file %s has a column %s and %i rows',
  async (title, name, column, count) => {
    await openWallet()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      card(title)
        .getByRole('button', { name: t('list.export') })
        .click(),
    ])
    expect(file.suggestedFilename()).toMatch(new RegExp(`^${name}-[\\d-]+\\.csv$`, 'u'))
    const [head = '', ...rows] = (await textOf(file)).trim().split('\r\n')
    expect(head.replace('\uFEFF', '').split(',')).toContain(column)
    expect(rows).toHaveLength(count)
  },
)

test('given no gateway, when the wallet is opened, then it says that online top-up is off', async () => {
  await shop.root.setOption('PayAddress', '')
  await page.reload()
  await card('wallet.online').getByText('管理员未开启在线充值！').waitFor()
  // Earlier orders stay; an account without orders has nothing to see there.
  await card('wallet.orders').getByRole('listitem').first().waitFor()
  await page.route('**/api/user/topup/orders?*', (route) =>
    route.fulfill({ json: { success: true, message: '', data: { items: [], total: 0 } } }),
  )
  await page.reload()
  await card('wallet.online').getByText('管理员未开启在线充值！').waitFor()
  await card('wallet.redemptions').getByRole('listitem').first().waitFor()
  expect(await card('wallet.orders').count()).toBe(0)
  // Only who may set it up is led there.
  expect(await page.getByRole('link', { name: t('wallet.setUp') }).count()).toBe(0)
})
