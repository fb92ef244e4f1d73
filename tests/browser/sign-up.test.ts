import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import {
  launchOwnChromium,
  openPage,
  type View,
  type WatchedPage,
} from '../support/browser/browser.ts'
import { until } from '../support/processes.ts'
import { startSmtpServer, type TestSmtpServer } from '../support/providers/smtp-server.ts'
import { codeIn } from '../support/visitors.ts'
import { PASSWORD, startWholeTollgate, type WholeTollgate } from '../support/whole-tollgate.ts'
import { ASKS_ON_LEAVING } from './leaving.ts'
import { sendSignIn } from './sign-in.ts'
import { textsOf } from './texts.ts'

/** Signing up, signing in, a forgotten password and an expired session, in a real browser with a real mail server. */
let smtp: TestSmtpServer
let whole: WholeTollgate
let browser: Browser

const t = textsOf('en')
const DESKTOP: View = { language: 'en', theme: 'light', width: 1280 }

beforeAll(async () => {
  smtp = await startSmtpServer()
  whole = await startWholeTollgate({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
  await whole.root.setOptions({
    ServerAddress: whole.tollgate.url,
    SMTPServer: '127.0.0.1',
    SMTPPort: String(smtp.port),
    SMTPFrom: 'gate@example.com',
    EmailVerificationEnabled: 'true',
  })
  browser = await launchOwnChromium()
}, 120_000)
afterAll(async () => {
  await browser.close()
  await whole.stop()
  await smtp.close()
}, 60_000)

let visitors = 0

/** A page of a visitor with an address of their own: signing in and up is limited by address. */
async function open(view = DESKTOP): Promise<WatchedPage> {
  const watched = await openPage(browser, whole.tollgate.url, view)
  await watched.page.setExtraHTTPHeaders({ 'x-forwarded-for': `192.0.2.${++visitors}` })
  return watched
}

const inviter = () => whole.root.ask('GET', '/api/user/self', z.object({ aff_count: z.number() }))

test('given an invitation and a mailed code, when somebody signs up, then the inviter is credited', async () => {
  const affCode = await whole.root.ask('GET', '/api/user/aff', z.string())
  const watched = await open()
  const { page } = watched
  await page.goto(`/register?aff=${affCode}`)
  await page.getByText(t('register.invited', { code: affCode })).waitFor()
  expect(await page.evaluate('localStorage.aff')).toBe(affCode)
  const username = page.getByLabel(t('register.username'))
  await expect.poll(() => page.evaluate(FOCUSED)).toBe('username')

  const submit = page.getByRole('button', { name: t('register.submit') })
  await submit.click()
  for (const message of [
    t('register.username_missing'),
    t('register.password_missing'),
    t('register.email_missing'),
    t('register.code_missing'),
  ]) {
    await page.getByText(message).waitFor()
  }
  await watched.expectAccessible()
  await username.fill('ann')
  await page.getByLabel(t('register.password'), { exact: true }).fill('1234567')
  await page.getByLabel(t('register.confirm')).fill('12345678')
  await page.getByText(t('register.password_short')).waitFor()
  await page.getByText(t('register.mismatch')).waitFor()
  await page.getByLabel(t('register.password'), { exact: true }).fill(PASSWORD)
  await page.getByLabel(t('register.confirm')).fill(PASSWORD)

  await page.getByLabel(t('register.email'), { exact: true }).fill('ann@example.com')
  await page.getByRole('button', { name: t('register.sendCode') }).click()
  const locked = page.getByRole('button', { name: /^Send again \(\d+ s\)$/u })
  await locked.waitFor()
  expect(await locked.isDisabled()).toBe(true)
  const { mail } = await smtp.nextMailTo('ann@example.com')

  await page.getByLabel(t('register.code')).fill('000000')
  await submit.click()
  await page.getByRole('alert').getByText('The code is wrong or has expired.').waitFor()
  await page.getByLabel(t('register.code')).fill(codeIn(mail.html))
  await submit.click()
  await page.waitForURL('**/login')
  await page.getByText(t('register.done')).waitFor()
  await sendSignIn(page, { username: 'ann', password: PASSWORD }, 'en')
  await page.waitForURL('**/token')
  await until('the inviter sees the sign-up', async () => (await inviter()).aff_count === 1)
  watched.expectNoComplaint()
  await page.context().close()
})

test('given a wrong password, when signing in, then the form says so and shows what was typed', async () => {
  const watched = await open()
  const { page } = watched
  await page.goto('/login?aff=x7Qp')
  await expect.poll(() => page.evaluate('localStorage.aff')).toBe('x7Qp')
  await expect.poll(() => page.evaluate(FOCUSED)).toBe('username')
  await sendSignIn(page, { username: 'ann', password: 'not-the-password' }, 'en')
  const alert = page.getByRole('main').getByRole('alert')
  await alert.getByText('Wrong username or password, or the account is disabled.').waitFor()
  expect(await page.getByRole('button', { name: t('copy.requestId') }).count()).toBe(0)
  const password = page.getByLabel(t('login.password'))
  expect(await password.getAttribute('type')).toBe('password')
  await page.getByRole('button', { name: t('login.reveal') }).click()
  expect(await password.getAttribute('type')).toBe('text')
  await watched.expectAccessible()
  watched.expectNoComplaint()
  await page.context().close()
})

test('given an ended session, when a screen asks for more, then signing in leads back to the view', async () => {
  const { page } = await open()
  await page.goto('/log?type=5&size=20')
  await page.waitForURL('**/login?*next=*')
  await sendSignIn(page, { username: 'ann', password: PASSWORD }, 'en')
  await page.waitForURL('**/log?type=5&size=20')
  // The open page would hear first that the session ended, and ask for the password itself.
  await page.goto('about:blank')
  await page.context().clearCookies()
  await page.goto('/log?type=5&size=20')
  await page.waitForURL('**/login?expired=true&next=*')
  await page.getByText(t('login.expired')).waitFor()
  await sendSignIn(page, { username: 'ann', password: PASSWORD }, 'en')
  await page.waitForURL('**/log?type=5&size=20')
  await page.context().close()
})

test('given a forgotten password, when the mailed link is opened, then the new one signs in', async () => {
  const watched = await open()
  const { page } = watched
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/login')
  await page.getByRole('link', { name: t('login.forgot') }).click()
  await page.waitForURL('**/reset')
  const send = page.getByRole('button', { name: t('reset.send') })
  await send.click()
  await page.getByText(t('reset.emailMissing')).waitFor()
  const email = page.getByLabel(t('reset.email'))
  await email.fill('nobody@example.com')
  await send.click()
  await page.getByRole('alert').getByText('No account has this email address.').waitFor()
  await email.fill('ann@example.com')
  await send.click()
  const locked = page.getByRole('button', { name: /^Send again \(\d+ s\)$/u })
  await locked.waitFor()
  expect(await locked.isDisabled()).toBe(true)
  await watched.expectAccessible()

  const { mail } = await smtp.nextMailTo('ann@example.com')
  const link = /http:\/\/\S+/u.exec(mail.text ?? '')?.[0] ?? ''
  await page.goto(link)
  expect(await page.getByLabel(t('reset.email')).inputValue()).toBe('ann@example.com')
  await page.getByRole('button', { name: t('reset.confirm') }).click()
  await page.getByText(t('reset.copied')).waitFor()
  const password = await page.getByText(/^[0-9a-f]{12}$/u).innerText()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(password)
  await watched.expectAccessible()
  await page.goto('/login')
  await sendSignIn(page, { username: 'ann', password }, 'en')
  await page.waitForURL('**/token')

  // The link was good once.
  await page.goto(link)
  const again = page.getByRole('button', { name: t('reset.confirm') })
  await again.click()
  await page.getByRole('alert').getByText('This link is not valid or has expired').waitFor()
  await page.getByRole('button', { name: /\(\d+ s\)$/u }).waitFor()
  await page.goto('/user/reset')
  await page.getByText(t('reset.linkBroken')).waitFor()
  watched.expectNoComplaint()
  await page.context().close()
})

test.each([
  ['/register', 'register.email', 'register.sendCode'],
  ['/reset', 'reset.email', 'reset.send'],
] as const)(
  'given %s, when a mail was asked for, then 30 seconds are counted down before another can be',
  async (path, field, button) => {
    const { page } = await open()
    await page.clock.install()
    await page.route(/\/api\/(?:verification|reset_password)\?/u, (route) =>
      route.fulfill({ json: { success: true, message: '' } }),
    )
    await page.goto(path)
    await page.getByLabel(t(field), { exact: true }).fill('ann@example.com')
    await page.getByRole('button', { name: t(button) }).click()
    const again = page.getByRole('button', { name: /^Send again/u })
    await again.waitFor()
    expect(await again.isDisabled()).toBe(true)
    const seconds = Number(/\d+/u.exec(await again.innerText())?.[0])
    expect(seconds).toBeGreaterThan(20)
    expect(seconds).toBeLessThanOrEqual(30)
    await page.clock.fastForward(31_000)
    await page.getByRole('button', { name: 'Send again', exact: true, disabled: false }).waitFor()
    await page.context().close()
  },
)

test.each<View>([
  { language: 'zh', theme: 'dark', width: 360 },
  { language: 'en', theme: 'dark', width: 360 },
  { language: 'zh', theme: 'light', width: 1280 },
])(
  'given $language, $theme, $width px, when a visitor opens each sign-in page, then axe finds nothing',
  async (view) => {
    const watched = await open(view)
    const { page } = watched
    for (const path of ['/login', '/register', '/reset', '/user/reset?email=a@b.example&token=1']) {
      await page.goto(path)
      await page.getByRole('main').getByRole('button').first().waitFor()
      await watched.expectAccessible()
      expect({ path, overflow: await page.evaluate(OVERFLOW) }).toEqual({ path, overflow: 0 })
    }
    watched.expectNoComplaint()
    await page.context().close()
  },
  60_000,
)

test('given a half-typed sign-up, when going to sign in, then it asks and stays until given up', async () => {
  const { page } = await open()
  await page.goto('/register')
  const name = page.getByLabel(t('register.username'))
  await name.waitFor()
  expect(await page.evaluate(ASKS_ON_LEAVING)).toBe(false)
  await name.fill('half')
  await expect.poll(() => page.evaluate(ASKS_ON_LEAVING)).toBe(true)
  const leave = page.getByRole('main').getByRole('link', { name: t('login.submit') })
  const question = page.getByRole('alertdialog', { name: t('form.unsavedTitle') })
  await leave.click()
  await question.getByRole('button', { name: t('action.cancel') }).click()
  await question.waitFor({ state: 'hidden' })
  expect(await name.inputValue()).toBe('half')
  await leave.click()
  await question.getByRole('button', { name: t('form.discard') }).click()
  await page.waitForURL('**/login')
  await page.context().close()
})

test('given no mail server, when a code or a link is wanted, then whom to ask is said instead', async () => {
  await whole.root.setOption('SMTPServer', '')
  const { page } = await open()
  await page.goto('/register')
  await page.getByText(t('register.noMail')).waitFor()
  expect(await page.getByRole('button', { name: t('register.sendCode') }).count()).toBe(0)
  await page.goto('/reset')
  await page.getByText(t('reset.noMail')).waitFor()
  expect(await page.getByRole('button', { name: t('reset.send') }).count()).toBe(0)
  await whole.root.setOption('SMTPServer', '127.0.0.1')
  await page.reload()
  await page.getByRole('button', { name: t('reset.send') }).waitFor()
  await page.context().close()
})

const FOCUSED = 'document.activeElement?.autocomplete'
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
