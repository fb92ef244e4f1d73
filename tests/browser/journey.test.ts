import type { StandInUpstream } from '@tollgate/infra/demo/stand-in-upstream.ts'
import { startStandInUpstream } from '@tollgate/infra/demo/stand-in-upstream.ts'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { SECTIONS, specOf } from '../../console/src/features/settings/options.ts'
import { openChromium, openPage, type WatchedPage } from '../support/browser/browser.ts'
import { ConsoleClient } from '../support/console-client.ts'
import type { Product } from '../support/product-kinds.ts'
import { startProduct } from '../support/product.ts'
import { type EpayGateway, startEpayGateway } from '../support/providers/epay-gateway.ts'
import { BEHIND_PROXY, MERCHANT, PASSWORD } from '../support/wallet.ts'
import { changeSection } from './change-settings.ts'
import { everySetting, keptOf, PICTURES } from './every-setting.ts'
import { type Hand, handOf, type HandName } from './hands.ts'
import { textsOf } from './texts.ts'

/**
 * From a fresh installation over its first charge to accounts, money and settings, in one run: once with a mouse, once by
 * keyboard alone, once with a finger on a phone. Each test goes on from the one before.
 */
const t = textsOf('en')
const ROOT_NAME = 'founder'
/** Upstream has nothing that comes with a price. */
const MODEL = 'house-chat-1'
const PATIENT = { timeout: 60_000 }
/** US dollars that a code is worth, that are bought, that an invitation earns, and that are transferred of it. */
const CODE = 3
const BOUGHT = 5
const REWARD = 2
const TRANSFERRED = 1
const PER_UNIT = 500_000

let browser: Browser
let gateway: EpayGateway
let upstream: StandInUpstream
beforeAll(async () => {
  browser = await openChromium()
  gateway = await startEpayGateway(MERCHANT)
  upstream = await startStandInUpstream({ models: [MODEL] })
})
afterAll(async () => {
  await browser.close()
  await gateway.close()
  await upstream.stop()
})

describe.each<HandName>(['mouse', 'keyboard', 'phone'])(
  'given a new installation, by %s,',
  (name) => {
    let product: Product
    let root: Person
    let ann: Person
    let code = ''
    let invitation = ''
    let people = 0

    /** A browser of somebody's own, from an address of their own. */
    async function person(): Promise<Person> {
      const view = {
        language: 'en',
        theme: 'light',
        width: name === 'phone' ? 390 : 1366,
        hasTouch: name === 'phone',
      } as const
      const watched = await openPage(browser, product.url, view)
      const { page } = watched
      await page.setExtraHTTPHeaders({ 'x-forwarded-for': `192.0.2.${(people += 1)}` })
      return { ...watched, hand: handOf(name, page) }
    }

    beforeAll(async () => {
      product = await startProduct({ env: BEHIND_PROXY })
    }, 120_000)
    afterAll(() => product.dispose())

    test('when it is set up, then its founder is signed in', async () => {
      root = await person()
      const { page, hand } = root
      await page.goto('/')
      await hand.press(page.getByRole('button', { name: t('setup.explain') }))
      const modes = page.getByRole('dialog')
      await hand.leave(modes, modes.getByRole('button', { name: t('action.close') }))
      await hand.type(page.getByLabel(t('setup.username')), ROOT_NAME)
      await hand.type(page.getByLabel(t('setup.password'), { exact: true }), PASSWORD)
      await hand.type(page.getByLabel(t('setup.confirmPassword')), PASSWORD)
      await hand.press(page.getByRole('button', { name: t('setup.submit') }))
      await firstSteps().waitFor(PATIENT)
      root.expectNoComplaint()
    }, 120_000)

    test('when channel, price and token are made in its first steps, then the first call opens its charge', async () => {
      const { page, hand } = root
      const steps = firstSteps()
      await hand.pick(steps.getByRole('radiogroup', { name: t('firstSteps.provider') }), 'DeepSeek')
      await hand.type(steps.getByLabel(t('firstSteps.key')), 'sk-upstream')
      await hand.type(steps.getByLabel(t('firstSteps.baseUrl')), upstream.url)
      await hand.press(steps.getByRole('button', { name: t('firstSteps.add') }))
      await steps.getByText(/^1 model fetched\. A test with house-chat-1 took/u).waitFor(PATIENT)

      await hand.type(steps.getByLabel(t('pricing.inputPrice')), '4')
      await hand.type(steps.getByLabel(t('pricing.outputPrice')), '8')
      await hand.press(steps.getByRole('button', { name: t('pricing.setPrice') }))
      await hand.press(steps.getByRole('button', { name: t('firstSteps.createToken') }))
      await hand.press(steps.getByRole('button', { name: t('firstSteps.send') }))
      await page.waitForURL('**/log?row=*', PATIENT)
      await page.getByText(t('log.explain'), { exact: true }).waitFor(PATIENT)
      if (name === 'phone') {
        const charge = page.getByRole('dialog')
        await hand.leave(charge, charge.getByRole('button', { name: t('action.close') }))
      }
      root.expectNoComplaint()
    }, 180_000)

    test('when payment and rewards are entered among the settings, then they are kept', async () => {
      const { page, hand } = root
      await visit(root, t('place.settings'))
      await hand.press(page.getByRole('link', { name: t('settings.tab_system'), exact: true }))
      await changeSection(page, hand, 'server', [['ServerAddress', product.url]])
      await changeSection(page, hand, 'payment', [
        ['PayAddress', gateway.url],
        ['EpayId', MERCHANT.pid],
        ['EpayKey', MERCHANT.key],
      ])
      await hand.press(page.getByRole('link', { name: t('settings.tab_operation'), exact: true }))
      await changeSection(page, hand, 'quota', [['QuotaForInviter', String(REWARD)]])
      root.expectNoComplaint()
    }, 180_000)

    test('when a code is made, then it is on show to be copied', async () => {
      const { page, hand } = root
      await visit(root, t('place.redemptions'))
      await hand.press(page.getByRole('button', { name: t('redemptions.create') }).first())
      const drawer = page.getByRole('dialog')
      await hand.type(drawer.getByLabel(t('redemptions.name')), 'spring')
      await hand.type(drawer.getByLabel(t('redemptions.quota')), String(CODE))
      await hand.press(drawer.getByRole('button', { name: t('redemptions.make') }))
      const codes = page.getByRole('dialog', {
        name: '1 code created',
      })
      code =
        /[0-9a-f]{32}/u.exec((await codes.locator('pre').textContent(PATIENT)) ?? '')?.[0] ?? ''
      expect(code).not.toBe('')
      await hand.press(codes.getByRole('button', { name: t('action.close') }))
      await page.getByText('spring', { exact: true }).first().waitFor()
      root.expectNoComplaint()
    }, 120_000)

    test('when somebody signs up, redeems the code and pays at the gateway, then the balance has both', async () => {
      ann = await person()
      await signUp(ann, '/register', 'ann')
      const { page, hand } = ann
      await visit(ann, t('place.wallet'))
      const redeem = page.getByRole('region', { name: t('wallet.redeem'), exact: true })
      await hand.type(redeem.getByLabel(t('wallet.code')), code)
      await hand.press(redeem.getByRole('button', { name: t('wallet.redeemSubmit'), exact: true }))
      await page.getByText(t('wallet.redeemed', { amount: `$${CODE}.00` })).waitFor(PATIENT)

      const online = page.getByRole('region', { name: t('wallet.online'), exact: true })
      await hand.type(online.getByLabel(t('wallet.amount')), String(BOUGHT))
      await online.getByText(t('wallet.yuan', { money: '36.50' })).waitFor(PATIENT)
      const pay = t('wallet.payBy', { method: t('wallet.zfb') })
      await hand.press(online.getByRole('button', { name: pay }))
      const question = page.getByRole('alertdialog')
      await hand.press(question.getByRole('button', { name: t('wallet.confirm') }))
      await page.waitForURL(`${gateway.url}/submit.php`)
      const number = [...gateway.orders.keys()].at(-1) ?? ''
      expect(await gateway.notify(number)).toBe('success')
      await page.goto('/topup')
      const orders = page.getByRole('region', { name: t('wallet.orders'), exact: true })
      const order = orders.getByRole('listitem').filter({ hasText: number })
      await order.getByText(t('wallet.state_paid')).waitFor(PATIENT)
      await account(page, t('wallet.account'))
        .getByText(`$${CODE + BOUGHT}.00`)
        .first()
        .waitFor(PATIENT)
      ann.expectNoComplaint()
    }, 180_000)

    test('when a guest signs up by an invitation, then its reward is transferred to the balance', async () => {
      const { page, hand } = ann
      await visit(ann, t('place.personal'))
      const card = page.getByRole('region', { name: t('personal.invitation'), exact: true })
      const shown = await card.getByText(/\/register\?aff=\w{4}$/u).textContent(PATIENT)
      invitation = new URL(shown ?? '').pathname + new URL(shown ?? '').search
      const guest = await person()
      await signUp(guest, invitation, 'guest')
      guest.expectNoComplaint()
      await guest.page.context().close()

      await expect
        .poll(async () => {
          await page.reload()
          await card.getByText(/^\$/u).first().waitFor()
          return card.getByText(`$${REWARD}.00`).count()
        }, PATIENT)
        .toBeGreaterThan(0)
      await hand.press(page.getByRole('button', { name: t('personal.transfer') }))
      const dialog = page.getByRole('dialog')
      await hand.type(dialog.getByLabel(t('personal.transferAmount')), String(TRANSFERRED))
      await hand.press(dialog.getByRole('button', { name: t('personal.transferSubmit') }))
      await dialog.waitFor({ state: 'hidden' })
      const balance = CODE + BOUGHT + TRANSFERRED
      await account(page, t('personal.account'))
        .getByText(`$${balance}.00`)
        .first()
        .waitFor(PATIENT)
      const client = new ConsoleClient(product.url)
      await client.logIn('ann', PASSWORD)
      expect((await client.self()).quota).toBe(balance * PER_UNIT)
      ann.expectNoComplaint()
    }, 180_000)

    test('when every setting is changed and saved, then the server has each', async () => {
      const { page, hand } = root
      await page.route(`${PICTURES}**`, (route) =>
        route.fulfill({ contentType: 'image/svg+xml', body: PICTURE }),
      )
      // Afterwards nobody signs in by password any more.
      const client = new ConsoleClient(product.url)
      await client.logIn(ROOT_NAME, PASSWORD)
      const before = await options(client)
      await visit(root, t('place.settings'))
      for (const [section, typed] of everySetting()) {
        const tab = t(`settings.tab_${SECTIONS[section].tab}`)
        await hand.press(page.getByRole('link', { name: tab, exact: true }))
        await changeSection(page, hand, section, typed)
      }
      const after = await options(client)
      for (const key of everySetting().flatMap(([, typed]) => typed.map(([name]) => name))) {
        const kept = keptOf(key, before.get(key) ?? '')
        const stored = after.get(key) ?? ''
        if (kept === null) expect([key, await changes(client, key)]).toEqual([key, 1])
        else if (specOf(key).kind === 'table')
          expect([key, JSON.parse(stored)]).toEqual([key, JSON.parse(kept)])
        else expect([key, stored]).toEqual([key, kept])
      }
      root.expectNoComplaint()
    }, 600_000)

    const firstSteps = (): Locator => root.page.getByRole('region', { name: t('firstSteps.title') })

    /** Goes to a screen by the side bar, which a phone has behind a button. */
    async function visit({ page, hand }: Person, place: string): Promise<void> {
      if (name === 'phone')
        await hand.press(page.getByRole('button', { name: t('frame.openMenu') }))
      await hand.press(page.getByRole('link', { name: place, exact: true }).first())
      await page.getByRole('heading', { level: 1, name: place }).waitFor(PATIENT)
    }

    async function signUp(who: Person, address: string, username: string): Promise<void> {
      const { page, hand } = who
      await page.goto(address)
      await hand.type(page.getByLabel(t('register.username')), username)
      await hand.type(page.getByLabel(t('register.password'), { exact: true }), PASSWORD)
      await hand.type(page.getByLabel(t('register.confirm')), PASSWORD)
      await hand.press(page.getByRole('button', { name: t('register.submit') }))
      await page.waitForURL('**/login')
      await hand.type(page.getByLabel(t('login.username')), username)
      await hand.type(page.getByLabel(t('login.password'), { exact: true }), PASSWORD)
      await hand.press(page.getByRole('button', { name: t('login.submit'), exact: true }))
      await page.waitForURL('**/token')
    }
  },
)

interface Person extends WatchedPage {
  readonly hand: Hand
}

const account = (page: Page, title: string): Locator =>
  page.getByRole('region', { name: title, exact: true })

const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>'

/** The listed options, as texts by key. */
async function options(client: ConsoleClient): Promise<ReadonlyMap<string, string>> {
  const rows = z.array(z.object({ key: z.string(), value: z.string() }))
  const listed = await client.ask('GET', '/api/option/', rows)
  return new Map(listed.map(({ key, value }) => [key, value]))
}

/** How many of an option's changes are known, at most one. */
async function changes(client: ConsoleClient, key: string): Promise<number> {
  const answer = z.object({ items: z.array(z.object({ key: z.literal(key) })) })
  const address = `/api/option/history?key=${encodeURIComponent(key)}&limit=1`
  return (await client.ask('GET', address, answer)).items.length
}
