import type { Page } from 'playwright-core'
import {
  launchOwnChromium,
  openChromium,
  openPage,
  type View,
  type WatchedPage,
} from '../support/browser/browser.ts'
import { type Gateway, ROOT } from '../support/gateway.ts'
import { signIn } from './sign-in.ts'

/** How a screen is looked at unless a test says otherwise. */
const USUAL: View = { language: 'zh', theme: 'light', width: 1366 }

interface Options extends Partial<View> {
  /** Root unless said otherwise. */
  readonly who?: { readonly username: string; readonly password: string }
  /** A Chromium of its own, for tests that read the clipboard: all pages of one Chromium share it. Default false. */
  readonly readsClipboard?: boolean
}

/** The console of a gateway, signed in to, where the tests of most screens begin. */
export async function openSignedIn(gateway: Gateway, options: Options = {}): Promise<WatchedPage> {
  const browser = await (options.readsClipboard === true ? launchOwnChromium() : openChromium())
  try {
    const watched = await openPage(browser, gateway.product.url, { ...USUAL, ...options })
    await signInOn(watched.page, options)
    return watched
  } catch (error) {
    await browser.close()
    throw error
  }
}

/** The same in the browser of a page that is open, with nothing shared: another person, or another view. */
export async function openBeside(
  page: Page,
  gateway: Gateway,
  options: Options = {},
): Promise<WatchedPage> {
  const browser = page.context().browser()
  if (browser === null) throw new Error('the page has no browser of its own')
  const watched = await openPage(browser, gateway.product.url, { ...USUAL, ...options })
  await signInOn(watched.page, options)
  return watched
}

/** Ends the browser and the gateway of a test file, as far as it came to start them. */
export async function stopAll(
  page: Page | undefined,
  gateway: Pick<Gateway, 'stop'> | undefined,
): Promise<void> {
  await page?.context().browser()?.close()
  await gateway?.stop()
}

const signInOn = (page: Page, { who = ROOT, language = USUAL.language }: Options): Promise<void> =>
  signIn(page, who, language)
