import type { StandInUpstream } from '@tollgate/infra/demo/stand-in-upstream.ts'
import { startStandInUpstream } from '@tollgate/infra/demo/stand-in-upstream.ts'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { OptionKey, SectionName } from '../../console/src/features/settings/options.ts'
import { SECTIONS, specOf, textName } from '../../console/src/features/settings/options.ts'
import { openChromium, openPage, type WatchedPage } from '../support/browser/browser.ts'
import { ConsoleClient } from '../support/console-client.ts'
import type { Product } from '../support/product-kinds.ts'
import { startProduct } from '../support/product.ts'
import { type EpayGateway, startEpayGateway } from '../support/providers/epay-gateway.ts'
import { BEHIND_PROXY, MERCHANT, PASSWORD } from '../support/wallet.ts'
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
/** What a code is worth, what is bought, what an invitation earns and what of it is transferred, in US dollars. */
const CODE = 3
const BOUGHT = 5
const REWARD = 2
const TRANSFERRED = 1
const PER_UNIT = 500_000

/** One setting of every section, with another value than it has; what the journey itself needs is set in its course. */
const ONE_OF_EACH: Readonly<Record<Exclude<SectionName, NeededSection>, Typed>> = {
  general: ['TopUpLink', 'https://codes.example.com/'],
  drawing: ['MjNotifyEnabled', null],
  sensitive: ['SensitiveWords', 'one\ntwo words'],
  log: ['LogConsumeEnabled', null],
  dashboard: ['DataExportInterval', '7'],
  monitoring: ['ChannelDisableThreshold', '7'],
  chat: ['Chats', '[{"One": "https://one.example/{key}"}]'],
  groups: ['GroupRatio', '{"default": 1, "gold": 0.5}'],
  modelRatios: ['ModelPrice', '{"gold": 0.5}'],
  rateLimit: ['ModelRequestRateLimitCount', '9'],
  accessTokens: ['AccessTokenRateLimit', '900'],
  relay: ['general_setting.ping_interval_seconds', '20'],
  gemini: ['gemini.thinking_adapter_budget_tokens_percentage', '0.5'],
  claude: ['claude.thinking_adapter_budget_tokens_percentage', '0.5'],
  worker: ['WorkerUrl', 'https://worker.example.com'],
  login: ['PasswordRegisterEnabled', null],
  domains: ['EmailAliasRestrictionEnabled', null],
  smtp: ['SMTPServer', 'mail.example.com'],
  oidc: ['oidc.client_id', 'gate'],
  github: ['GitHubClientId', 'gate'],
  linuxdo: ['LinuxDOClientId', 'gate'],
  wechat: ['WeChatServerToken', 'a-secret'],
  telegram: ['TelegramBotName', 'gate_bot'],
  turnstile: ['TurnstileSiteKey', 'a-site-key'],
  pages: ['SystemName', 'Our gate'],
}
/** Prices among them: they are saved by a dialog that shows what they do. */
const PRICED: ReadonlySet<OptionKey> = new Set(['GroupRatio', 'ModelPrice'])
type NeededSection = 'server' | 'payment' | 'quota'
/** What is typed; null = the switch is turned over. */
type Typed = readonly [key: OptionKey, value: string | null]

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

      await hand.press(steps.getByRole('link', { name: t('firstSteps.setPrices') }))
      await hand.type(page.getByLabel(`${MODEL}: ${t('pricing.modelRatio')}`, { exact: true }), '2')
      await hand.press(page.getByRole('button', { name: t('pricing.saveChanges', { n: '1' }) }))
      const dialog = page.getByRole('dialog')
      await hand.type(dialog.getByLabel(t('pricing.note')), 'to begin with')
      await hand.press(dialog.getByRole('button', { name: t('action.save') }))
      await dialog.waitFor({ state: 'hidden' })

      await hand.press(page.getByRole('link', { name: t('firstSteps.continue') }))
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
      await change(root, 'server', [['ServerAddress', product.url]])
      await change(root, 'payment', [
        ['PayAddress', gateway.url],
        ['EpayId', MERCHANT.pid],
        ['EpayKey', MERCHANT.key],
      ])
      await hand.press(page.getByRole('link', { name: t('settings.tab_operation'), exact: true }))
      await change(root, 'quota', [['QuotaForInviter', String(REWARD)]])
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
      const codes = page.getByRole('dialog', { name: t('redemptions.madeTitle', { n: '1' }) })
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

    test('when a setting of every section is changed and saved, then the server has each', async () => {
      const { page, hand } = root
      await visit(root, t('place.settings'))
      const before = await options()
      for (const tab of ['operation', 'ratelimit', 'models', 'system', 'other'] as const) {
        await hand.press(page.getByRole('link', { name: t(`settings.tab_${tab}`), exact: true }))
        for (const [section, typed] of Object.entries(ONE_OF_EACH) as [SectionName, Typed][])
          if (SECTIONS[section].tab === tab) await change(root, section, [typed])
      }
      const after = await options()
      for (const [key, value] of Object.values(ONE_OF_EACH)) {
        const { kind } = specOf(key)
        if (kind === 'secret') continue
        const expected = value ?? String(before.get(key) !== 'true')
        const stored = after.get(key) ?? ''
        if (kind === 'table') expect([key, JSON.parse(stored)]).toEqual([key, JSON.parse(expected)])
        else expect([key, stored]).toEqual([key, expected])
      }
      root.expectNoComplaint()
    }, 300_000)

    const firstSteps = (): Locator => root.page.getByRole('region', { name: t('firstSteps.title') })

    async function options(): Promise<ReadonlyMap<string, string>> {
      const client = new ConsoleClient(product.url)
      await client.logIn(ROOT_NAME, PASSWORD)
      const rows = z.array(z.object({ key: z.string(), value: z.string() }))
      const listed = await client.ask('GET', '/api/option/', rows)
      return new Map(listed.map(({ key, value }) => [key, value]))
    }

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

    /** Changes options of one section and saves it. */
    async function change(
      { page, hand }: Person,
      name: SectionName,
      changes: readonly Typed[],
    ): Promise<void> {
      const section = page.locator(`#${name}`)
      for (const [key, value] of changes) {
        const label = t(`settings.field_${textName(key)}`)
        if (value === null)
          await hand.flip(section.getByRole('switch', { name: label, exact: true }))
        else await hand.type(await fieldOf(section, key, label, hand), value)
      }
      const title = t(`settings.section_${name}`)
      await hand.press(
        section.getByRole('button', { name: t('settings.saveOf', { title }), exact: true }),
      )
      if (changes.some(([key]) => PRICED.has(key))) {
        const dialog = page.getByRole('dialog')
        await hand.press(dialog.getByRole('button', { name: t('action.save') }))
      }
      await section.getByText(t('settings.unsaved')).first().waitFor({ state: 'hidden' })
    }
  },
)

interface Person extends WatchedPage {
  readonly hand: Hand
}

const account = (page: Page, title: string): Locator =>
  page.getByRole('region', { name: title, exact: true })

/** The field of an option; a table is typed as JSON. */
async function fieldOf(
  section: Locator,
  key: OptionKey,
  label: string,
  hand: Hand,
): Promise<Locator> {
  const { kind } = specOf(key)
  if (kind === 'secret') return section.getByLabel(label, { exact: true })
  if (kind === 'table') {
    const views = section.getByRole('group', { name: t('settings.viewOf', { name: label }) })
    const asJson = views.getByRole('button', { name: t('settings.asJson'), exact: true })
    if (await asJson.count()) await hand.press(asJson)
  }
  return section.getByRole('textbox', { name: label }).first()
}
