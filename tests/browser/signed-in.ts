import type { Browser, Page } from 'playwright-core'
import { z } from 'zod'
import {
  type BrowserState,
  launchOwnChromium,
  openChromium,
  openPage,
  type View,
  type WatchedPage,
} from '../support/browser/browser.ts'
import { CookieJar } from '../support/browser/cookie-jar.ts'
import { type Gateway, ROOT } from '../support/gateway.ts'

/** How a screen is looked at unless a test says otherwise. */
const USUAL: View = { language: 'zh', theme: 'light', width: 1366 }

interface Who {
  readonly username: string
  readonly password: string
}

interface PageOptions extends Partial<View> {
  /** Root unless said otherwise. */
  readonly who?: Who
}

interface Options extends PageOptions {
  /** A Chromium of its own, for tests that read the clipboard: all pages of one Chromium share it. Default false. */
  readonly readsClipboard?: boolean
}

/** A browser that is signed in to the console of a gateway and shows nothing yet: where tests of most screens begin. */
export async function openSignedIn(gateway: Gateway, options: Options = {}): Promise<WatchedPage> {
  const browser = await (options.readsClipboard === true ? launchOwnChromium() : openChromium())
  try {
    return await openSignedInPage(browser, gateway.product.url, options)
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
  return openSignedInPage(browser, gateway.product.url, options)
}

/** Ends the browser and the gateway of a test file, as far as it came to start them. */
export async function stopAll(
  page: Page | undefined,
  gateway: Pick<Gateway, 'stop'> | undefined,
): Promise<void> {
  await page?.context().browser()?.close()
  await gateway?.stop()
}

/** A page of a browser in a context of its own, signed in to the console at `url`. It shows nothing yet. */
export async function openSignedInPage(
  browser: Browser,
  url: string,
  options: PageOptions = {},
): Promise<WatchedPage> {
  const state = await signedInState(url, options.who ?? ROOT)
  return openPage(browser, url, { ...USUAL, ...options }, state)
}

const answer = z.object({ success: z.literal(true), data: z.record(z.string(), z.unknown()) })

/** Cookies and stored user of a browser that signed in at the console’s own page. */
async function signedInState(url: string, who: Who): Promise<BrowserState> {
  const jar = new CookieJar(url, '127.0.0.1')
  const headers = { 'content-type': 'application/json' }
  const sent = await jar.send('/api/user/login', {
    method: 'POST',
    headers,
    body: JSON.stringify(who),
  })
  const { data } = answer.parse(await sent.json())
  const { hostname: domain, origin } = new URL(url)
  const cookies = jar.names().map((name) => ({
    name,
    value: jar.get(name),
    domain,
    path: '/',
    expires: -1,
    httpOnly: true,
    secure: false,
    sameSite: 'Lax' as const,
  }))
  return {
    cookies,
    origins: [{ origin, localStorage: [{ name: 'user', value: JSON.stringify(data) }] }],
  }
}
