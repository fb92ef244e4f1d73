import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import type { WatchedPage } from '../support/browser/browser.ts'
import { openChromium, openPage } from '../support/browser/browser.ts'
import { ConsoleClient } from '../support/console-client.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { sendSignIn, signIn } from './sign-in.ts'
import { textsOf } from './texts.ts'

/** A session that ends while somebody works: they sign in over the page, and nothing is lost. */
let gateway: Gateway
let browser: Browser
let watched: WatchedPage
let page: Page

const t = textsOf('en')
const ANN = { username: 'ann', password: 'long-enough-2' } as const
const BEN = { username: 'ben', password: 'long-enough-3' } as const
const named = z.array(z.object({ name: z.string() }))

beforeAll(async () => {
  gateway = await startGateway({ models: ['gpt-4o-mini'] })
  await gateway.root.setOption('QuotaForNewUser', '500000')
  await gateway.root.ask('POST', '/api/user/', z.unknown(), ANN)
  await gateway.root.ask('POST', '/api/user/', z.unknown(), BEN)
  browser = await openChromium()
})
afterAll(async () => {
  await browser.close()
  await gateway.stop()
})
beforeEach(async () => {
  const view = { language: 'en', theme: 'light', width: 1280 } as const
  watched = await openPage(browser, gateway.product.url, view)
  page = watched.page
  await signIn(page, ANN, 'en')
})
afterEach(() => page.context().close())

const again = () => page.getByRole('dialog', { name: t('signInAgain.title') })
const drawer = () => page.getByRole('dialog', { name: t('tokens.create') })

/** Ends Ann's sessions as she would in another browser: all but that one's. */
async function endSessions(): Promise<void> {
  const client = new ConsoleClient(gateway.product.url)
  await client.logIn(ANN.username, ANN.password)
  await client.ask('DELETE', '/api/user/sessions', z.unknown())
}

async function typeToken(name: string): Promise<void> {
  await page
    .getByRole('button', { name: t('tokens.create') })
    .first()
    .click()
  await drawer().getByLabel(t('tokens.name')).fill(name)
}
const save = () =>
  drawer()
    .getByRole('button', { name: t('action.save'), exact: true })
    .click()

async function tokensNamed(name: string): Promise<number> {
  const client = new ConsoleClient(gateway.product.url)
  await client.logIn(ANN.username, ANN.password)
  const tokens = await client.ask('GET', '/api/token/?p=0&size=100', named)
  return tokens.filter((token) => token.name === name).length
}

test('given a half-filled form, when the session is revoked, then signing in over it saves it once', async () => {
  await typeToken('kept')
  await endSessions()
  await save()
  await again().waitFor()
  expect(await page.evaluate('document.activeElement.type')).toBe('password')
  await watched.expectAccessible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  await again().getByText(t('signInAgain.missing')).waitFor()
  await page.keyboard.type('not-the-password')
  await page.keyboard.press('Enter')
  await again().getByText('Wrong username or password, or the account is disabled.').waitFor()
  expect(await tokensNamed('kept')).toBe(0)
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(ANN.password)
  await page.keyboard.press('Enter')
  await again().waitFor({ state: 'hidden' })
  await drawer().waitFor({ state: 'hidden' })
  await page.getByText('kept', { exact: true }).first().waitFor()
  expect(await tokensNamed('kept')).toBe(1)
})

test('given an expired session, when its owner signs in in another tab, then this one keeps its text', async () => {
  await typeToken('from another tab')
  await page.context().clearCookies()
  await save()
  const opened = page.waitForEvent('popup')
  await again()
    .getByRole('link', { name: t('signInAgain.otherWay') })
    .click()
  const other = await opened
  await sendSignIn(other, ANN, 'en')
  await other.waitForURL('**/token')
  await again().waitFor({ state: 'hidden' })
  await drawer().waitFor({ state: 'hidden' })
  expect(await tokensNamed('from another tab')).toBe(1)
})

test('given an expired session, when its owner signs out, then the sign-in leads back to the view', async () => {
  await page.goto('/log?size=20')
  await page.getByRole('link', { name: t('place.tokens') }).click()
  await page.waitForURL('**/token')
  await page.context().clearCookies()
  await page.getByRole('link', { name: t('place.log'), exact: true }).click()
  await again()
    .getByRole('button', { name: t('frame.signOut') })
    .click()
  await page.waitForURL('**/login?expired=true&next=*')
  await sendSignIn(page, ANN, 'en')
  await page.waitForURL('**/log')
})

test('given a late refusal of a former user’s call, when another has signed in, then they stay put', async () => {
  const held = Promise.withResolvers<Route>()
  await page.route('**/api/user/models', (route) => held.resolve(route), { times: 1 })
  await typeToken('')
  const late = await held.promise
  await page.keyboard.press('Escape')
  await drawer().waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: t('frame.account', { name: ANN.username }) }).click()
  await page.getByRole('menuitem', { name: t('frame.signOut') }).click()
  await page.waitForURL('**/login')
  await sendSignIn(page, BEN, 'en')
  await page.waitForURL('**/token')
  const answered = page.waitForResponse((response) => response.request() === late.request())
  await late.continue()
  expect((await answered).status()).toBe(401)
  await (await answered).finished()
  await page.getByRole('link', { name: t('place.wallet') }).click()
  await page.waitForURL('**/topup')
  await page.getByRole('button', { name: t('frame.account', { name: BEN.username }) }).waitFor()
  expect(await again().count()).toBe(0)
})
