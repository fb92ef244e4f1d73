import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Result } from 'axe-core'
import type { Browser, BrowserContextOptions, ConsoleMessage, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import { expect, inject } from 'vitest'
import { chromiumOptions, windowlessChromiumOptions } from './chromium.ts'

/** How a page is looked at. */
export interface View {
  readonly language: 'zh' | 'en'
  readonly theme: 'light' | 'dark'
  /** CSS pixels. */
  readonly width: number
  /** Fingers instead of a mouse. Default false. */
  readonly hasTouch?: boolean
  /** IANA name. Default: the machine's. */
  readonly timeZone?: string
}

/** A page whose troubles are collected: whatever the browser complains about fails the test that asks. */
export interface WatchedPage {
  readonly page: Page
  /** Fails when the browser has complained since the last time: console errors and warnings, exceptions, failed loads. */
  expectNoComplaint(): void
  /** Fails when axe finds anything on the page as it stands. */
  expectAccessible(): Promise<void>
}

/** The whole Chromium, as people have it: for pictures and measurements. */
export const launchChromium = (): Promise<Browser> => chromium.launch(chromiumOptions())

/** A Chromium of the file's own, for tests that read its clipboard. */
export const launchOwnChromium = (): Promise<Browser> =>
  chromium.launch(windowlessChromiumOptions())

/**
 * The run's Chromium, as if it was the file's own: closing it closes what was opened by this connection, and Chromium
 * stays for the next file.
 */
export async function openChromium(): Promise<Browser> {
  const served = inject('chromium')
  if ('missing' in served) throw new Error(served.missing)
  return chromium.connect(served.endpoint)
}

/** Cookies and local storage that a browser begins with. */
export type BrowserState = Exclude<BrowserContextOptions['storageState'], string | undefined>

/**
 * Opens a page in a context of its own, with language and theme chosen as a visitor's earlier choice. It shows nothing
 * before it is sent to an address.
 */
export async function openPage(
  browser: Browser,
  url: string,
  view: View,
  storageState?: BrowserState,
): Promise<WatchedPage> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: view.width, height: 900 },
    colorScheme: view.theme,
    reducedMotion: 'reduce',
    hasTouch: view.hasTouch ?? false,
    ...(view.timeZone ? { timezoneId: view.timeZone } : {}),
    ...(storageState ? { storageState } : {}),
  })
  await context.addInitScript(({ language, theme }) => {
    try {
      localStorage.setItem('i18nextLng', language)
      localStorage.setItem('theme-mode', theme)
    } catch {
      // A frame in a sandbox has no storage.
    }
  }, view)
  return watch(await context.newPage())
}

/**
 * Changes the bodies of what the server answers at `url` (a glob). The returned function ends this after the last answer
 * that is on its way: Playwright continues such a request at `unroute`, and then refuses what its handler still says.
 */
export async function changeAnswers(
  page: Page,
  url: string,
  change: (body: string) => string,
): Promise<() => Promise<void>> {
  await page.route(url, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: change(await response.text()) })
  })
  return () => page.unrouteAll({ behavior: 'wait' })
}

/** A preload is for fast machines: on a busy one the page's own code comes later than Chromium waits for (3 s). */
const isLatePreload = (message: ConsoleMessage): boolean =>
  message.type() === 'warning' &&
  message.text().includes('was preloaded using link preload but not used within a few seconds')

/** Chromium notes that the page itself is 404, as an address without a screen is; what a page loads may not be. */
const isUnknownPage = (message: ConsoleMessage, page: Page): boolean =>
  message.text().includes('status of 404') && message.location().url === page.url()

function watch(page: Page): WatchedPage {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (isUnknownPage(message, page) || isLatePreload(message)) return
    if (message.type() === 'error' || message.type() === 'warning') {
      complaints.push(`console ${message.type()}: ${message.text()} (${message.location().url})`)
    }
  })
  page.on('pageerror', (error) => complaints.push(`exception: ${error.stack ?? error.message}`))
  page.on('response', (response) => {
    if (response.status() >= 500) complaints.push(`${response.status()} ${response.url()}`)
  })
  return {
    page,
    expectNoComplaint: () => expect(complaints.splice(0)).toEqual([]),
    expectAccessible: async () => {
      const violations = await violationsOn(page)
      const found = violations.map(({ id, help, nodes }) => ({
        id,
        help,
        where: nodes.map(({ html, failureSummary }) => `${html} — ${failureSummary}`),
      }))
      expect(found).toEqual([])
    },
  }
}

/** Minified: its text crosses two connections to each document that is examined. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Axe's violations on the page. A document gets axe once; its later runs there are faster. */
async function violationsOn(page: Page): Promise<readonly Result[]> {
  for (const frame of page.frames())
    if (await frame.evaluate("typeof axe === 'undefined'")) await frame.evaluate(AXE)
  // Describing the nodes that passed takes more processor time than the rules themselves.
  return page.evaluate<Result[]>(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
  )
}
