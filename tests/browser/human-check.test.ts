import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openChromium, openPage } from '../support/browser/browser.ts'
import {
  startTurnstile,
  TURNSTILE_SECRET,
  type TurnstileStandIn,
} from '../support/providers/turnstile.ts'
import { PASSWORD, startWholeTollgate, type WholeTollgate } from '../support/whole-tollgate.ts'
import { textsOf } from './texts.ts'

const t = textsOf('en')
/** In place of Cloudflare's: is satisfied when its box is clicked, with a token that has not been given before. */
const WIDGET = `
  let given = 0
  window.turnstile = {
    render(container, { sitekey, callback }) {
      const box = document.createElement('button')
      box.type = 'button'
      box.textContent = 'I am human: ' + sitekey
      box.onclick = () => callback('token-' + ++given)
      container.append(box)
      return 'widget'
    },
    remove: () => document.querySelectorAll('form button[type=button]').forEach((box) => box.remove()),
  }`

let turnstile: TurnstileStandIn
let whole: WholeTollgate
let browser: Browser

beforeAll(async () => {
  turnstile = await startTurnstile()
  whole = await startWholeTollgate({
    runtime: { providers: { turnstile: turnstile.verifyUrl } },
  })
  await whole.root.setOptions({
    'fetch_setting.allow_private_addresses': 'true',
    TurnstileSiteKey: 'site-key',
    TurnstileSecretKey: TURNSTILE_SECRET,
    TurnstileCheckEnabled: 'true',
    SMTPServer: 'mail.example.com',
    SMTPFrom: 'gate@example.com',
  })
  browser = await openChromium()
}, 60_000)
afterAll(async () => {
  await browser.close()
  await whole.stop()
  await turnstile.stop()
}, 30_000)

test('given the human check, when signing in, then its token is used once and a failed try asks anew', async () => {
  const watched = await openPage(browser, whole.tollgate.url, {
    language: 'en',
    theme: 'light',
    width: 360,
  })
  const { page } = watched
  await page.route('https://challenges.cloudflare.com/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: WIDGET }),
  )
  await page.goto('/login')
  const submit = page.getByRole('button', { name: t('login.submit') })
  const box = page.getByRole('button', { name: 'I am human: site-key' })
  await box.waitFor()
  await watched.expectAccessible()
  await page.getByLabel(t('login.username')).fill('root')
  await page.getByLabel(t('login.password')).fill(PASSWORD)
  await submit.click()
  await page.getByText(t('login.humanCheckWaits')).waitFor()
  expect([...turnstile.calls]).toEqual([])

  // A token that Cloudflare does not know: refused, and the box stands there again.
  await box.click()
  await submit.click()
  await page.getByText('The human check failed.').waitFor()
  turnstile.solved('token-2')
  await box.click()
  await submit.click()
  await page.waitForURL('**/token')
  watched.expectNoComplaint()
  await page.context().close()
})

test('given a blocked human check, when signing in, then the page says so and goes on once let through', async () => {
  const watched = await openPage(browser, whole.tollgate.url, {
    language: 'en',
    theme: 'dark',
    width: 360,
  })
  const { page } = watched
  let isBlocked = true
  await page.route('https://challenges.cloudflare.com/**', (route) =>
    isBlocked ? route.abort() : route.fulfill({ contentType: 'text/javascript', body: WIDGET }),
  )
  await page.goto('/login')
  await page.getByText(t('login.humanCheckBlocked')).waitFor()
  await watched.expectAccessible()
  isBlocked = false
  await page.getByRole('button', { name: t('action.retry') }).click()
  await page.getByRole('button', { name: 'I am human: site-key' }).waitFor()
  await page.context().close()
})

test.each([
  ['/register', 'register.submit'],
  ['/reset', 'reset.send'],
] as const)(
  'given the human check that is not through, when %s is sent, then the visitor is asked to wait',
  async (path, button) => {
    const { page } = await openPage(browser, whole.tollgate.url, {
      language: 'en',
      theme: 'light',
      width: 1280,
    })
    await page.route('https://challenges.cloudflare.com/**', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: WIDGET }),
    )
    await page.goto(path)
    await page.getByRole('button', { name: 'I am human: site-key' }).waitFor()
    if (path === '/register') {
      await page.getByLabel(t('register.username')).fill('newcomer')
      await page.getByLabel(t('register.password'), { exact: true }).fill(PASSWORD)
      await page.getByLabel(t('register.confirm')).fill(PASSWORD)
    } else {
      await page.getByLabel(t('reset.email'), { exact: true }).fill('ann@example.com')
    }
    await page.getByRole('button', { name: t(button), exact: true }).click()
    await page.getByText(t('login.humanCheckWaits')).waitFor()
    await page.context().close()
  },
)
