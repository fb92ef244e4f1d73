import { randomBytes } from 'node:crypto'
import { argon2Passwords } from '@tollgate/command-api/identity/passwords.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openChromium, openPage, type WatchedPage } from '../support/browser/browser.ts'
import { ConsoleClient } from '../support/console-client.ts'
import type { Product } from '../support/product-kinds.ts'
import { startSingleProduct } from '../support/product.ts'
import { sendSignIn, signIn } from './sign-in.ts'
import { textsOf } from './texts.ts'

/** The password that old installations started with; our setup makes none such, a database that came from one may (decision 27). */
const DEFAULT_PASSWORD = '123456'
const OWN_PASSWORD = 'long-enough-1'
const t = textsOf('en')

let product: Product
let browser: Browser

beforeAll(async () => {
  product = await startSingleProduct()
  await new ConsoleClient(product.url).setUp('root', OWN_PASSWORD)
  browser = await openChromium()
}, 120_000)
afterAll(async () => {
  await browser.close()
  await product.dispose()
}, 60_000)

const send = async (page: Page, password: string): Promise<void> => {
  await page.goto('/login')
  await sendSignIn(page, { username: 'root', password }, 'en')
}
const open = (): Promise<WatchedPage> =>
  openPage(browser, product.url, { language: 'en', theme: 'light', width: 1280 })

test('given root with a password of their own, when signed in, then the console opens at once', async () => {
  const { page } = await open()
  await signIn(page, { username: 'root', password: OWN_PASSWORD }, 'en')
  await page.context().close()
})

test('given root with the default password, when signed in, then a dialog says so and suits axe', async () => {
  const hash = await argon2Passwords(randomBytes).hash(DEFAULT_PASSWORD)
  await product.query(`update identity.users set password_hash = '${hash}' where role = 100`)
  const watched = await open()
  await send(watched.page, DEFAULT_PASSWORD)
  const dialog = watched.page.getByRole('alertdialog').or(watched.page.getByRole('dialog'))
  await dialog.getByText(t('login.defaultPasswordTitle')).waitFor()
  expect(await dialog.textContent()).toContain(t('login.defaultPasswordText'))
  await watched.expectAccessible()
  watched.expectNoComplaint()
  await watched.page.context().close()
})
