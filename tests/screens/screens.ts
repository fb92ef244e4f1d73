import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { PASSWORD } from '@tollgate/infra/demo/people.ts'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { SCREENS, VISITOR_SCREENS } from '../browser/screens.ts'
import { signIn } from '../browser/sign-in.ts'
import { launchChromium, openPage, type View } from '../support/browser/browser.ts'
import { startDemo } from '../support/demo-process.ts'

/**
 * `npm run screens -- --out folder`: pictures of every screen in both languages, both themes, on a desk and on a phone.
 * Starts a small demo for it, or takes what runs at `--url` (as root, with `--password`). `--screen /user` (again and
 * again) takes these addresses alone.
 */
const USAGE = 'npm run screens -- --out folder [--screen /user …] [--url http://… --password …]'
/** Enough for every chart and list to have something to show. */
const DEMO_REQUESTS = 1_500
const WIDTHS = [1440, 390] as const
/** A product gives an address 60 pages in three minutes; the page that says so loads again by itself afterwards. */
const SCREEN_TIMEOUT_MS = 200_000

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    url: { type: 'string' },
    password: { type: 'string', default: PASSWORD },
    screen: { type: 'string', multiple: true, default: [] },
  },
})
const say = (line: string): void => void process.stderr.write(`${line}\n`)

if (values.out === undefined) {
  say(`screens: no folder given; ${USAGE}`)
  process.exit(1)
}
const out = values.out
await mkdir(out, { recursive: true })
let session: Awaited<ReturnType<BrowserContext['storageState']>> | null = null
const product =
  values.url === undefined
    ? await startDemo(DEMO_REQUESTS)
    : { url: values.url, stop: async () => {} }
try {
  const browser = await launchChromium()
  try {
    for (const language of ['zh', 'en'] as const)
      for (const theme of ['light', 'dark'] as const)
        for (const width of WIDTHS) await photograph(browser, { language, theme, width })
  } finally {
    await browser.close()
  }
} finally {
  await product.stop()
}

/** Every screen in one view: the visitor's first, then root's. */
async function photograph(browser: Browser, view: View): Promise<void> {
  const { page } = await openPage(browser, product.url, view)
  page.setDefaultTimeout(SCREEN_TIMEOUT_MS)
  const named = `${view.language}-${view.theme}-${view.width}`
  if (values.screen.length === 0)
    for (const screen of VISITOR_SCREENS)
      await take(page, screen, join(out, `visitor${slugOf(screen)}-${named}.png`))
  await enter(page, view.language)
  for (const screen of values.screen.length > 0 ? values.screen : SCREENS)
    await take(page, screen, join(out, `root${slugOf(screen)}-${named}.png`))
  await page.context().close()
  say(`screens: ${named} done`)
}

/** Signs in once, and goes on in that session in every other view: sign-ins from one address are limited. */
async function enter(page: Page, language: View['language']): Promise<void> {
  if (session === null) {
    await signIn(page, { username: 'root', password: values.password }, language)
    session = await page.context().storageState()
    return
  }
  await page.context().addCookies(session.cookies)
  const kept = session.origins.flatMap((origin) => origin.localStorage)
  await page.addInitScript(
    (user) => {
      if (user !== undefined) localStorage.setItem('user', user)
    },
    kept.find(({ name }) => name === 'user')?.value,
  )
}

async function take(page: Page, screen: string, path: string): Promise<void> {
  await page.goto(screen)
  await page.locator('main').waitFor({ state: 'attached' })
  await page.waitForLoadState('networkidle')
  await page.locator('.chakra-skeleton').first().waitFor({ state: 'detached' })
  await lookAtAll(page)
  await page.screenshot({ path, fullPage: true })
}

/** Drawings wait until somebody sees them. */
async function lookAtAll(page: Page): Promise<void> {
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  await page.waitForLoadState('networkidle')
  await page.locator('.chakra-skeleton').first().waitFor({ state: 'detached' })
  await page.evaluate('scrollTo(0, 0)')
}

/** `/setting?tab=system` is `-setting-tab-system`, `/` is `-home`. */
function slugOf(screen: string): string {
  return screen === '/' ? '-home' : screen.replaceAll(/[^\w-]+/gu, '-').replace(/-$/u, '')
}
