import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { openChromium, openPage } from '../support/browser/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { openBeside, openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** The first data of a screen is requested once, while the screen's code is still on its way. */
let gateway: Gateway
let page: Page

/** An administrator: only root is asked to take first steps, which read lists of their own. */
const BOSS = { username: 'boss', password: 'long-enough-1' } as const
const ANN = { username: 'ann', password: 'long-enough-2' } as const
/** Each test opens several screens, and the machine may be busy. */
const BUSY_MS = 240_000
const BUILT = join(import.meta.dirname, '../../console/dist/.vite/pages.json')
const pageList = z.array(z.object({ address: z.string(), files: z.array(z.string()) }))
const t = textsOf('en')

/** A screen's address, the file of its own code, and how often it reads which paths. */
type Screen = readonly [string, string, Readonly<Record<string, number>>]

const SCREENS: readonly Screen[] = [
  ['/log', 'log', { '/api/log/': 1, '/api/log/stat': 1 }],
  ['/detail', 'detail', { '/api/data/': 2, '/api/data/top': 3, '/api/user/self': 1 }],
  ['/token', 'token', { '/api/token/': 1 }],
  ['/replays', 'replays', { '/api/replays': 1 }],
  ['/topup', 'topup', { '/api/user/self': 1 }],
  ['/pricing', 'pricing', { '/api/pricing': 1 }],
  // The lines, and the days of the curve.
  ['/statement', 'statement', { '/api/ledger/statement/self': 2 }],
  ['/audit/statement?user=1', 'audit.statement', { '/api/ledger/statement': 2 }],
  ['/personal', 'personal', { '/api/user/self': 1, '/api/user/models': 1 }],
  ['/channel', 'channel.index', { '/api/channel/': 1 }],
  ['/user', 'user.index', { '/api/user/': 1 }],
  ['/redemption', 'redemption', { '/api/redemption/': 1 }],
  [
    '/audit/journal',
    'audit.journal',
    { '/api/ledger/journal': 1, '/api/ledger/journal/totals': 1 },
  ],
  ['/audit/balances', 'audit.balances', { '/api/ledger/balances': 1 }],
  ['/audit/orders', 'audit.orders', { '/api/ledger/top-ups': 1 }],
  ['/audit/events', 'audit.events.index', { '/api/ledger/events': 1 }],
  ['/audit/prices', 'audit.prices', { '/api/ledger/prices': 1 }],
  ['/audit/trial-balance', 'audit.trial-balance', { '/api/audit/trial-balance': 1 }],
]

/** Only root sees options in the settings. */
const SETTINGS: Screen = [
  '/setting',
  'setting',
  {
    '/api/option/': 1,
    '/api/option/history': 1,
    '/api/option/defaults': 1,
    '/api/option/secrets': 1,
  },
]

beforeAll(async () => {
  gateway = await startGateway({ models: ['gpt-4o-mini'] })
  await gateway.root.addUser(ANN.username, ANN.password, 1_500_000)
  const boss = await gateway.root.addUser(BOSS.username, BOSS.password, 1_500_000)
  await gateway.root.ask('POST', '/api/user/manage', z.unknown(), {
    id: boss.userId,
    action: 'promote',
  })
  page = (await openSignedIn(gateway, { language: 'en', who: BOSS })).page
})
afterAll(() => stopAll(page, gateway))

const title = (shown: Page) => shown.getByRole('heading', { level: 1 })

/** Keeps requests waiting until they are let go. */
async function hold(shown: Page, isHeld: (path: string) => boolean): Promise<() => void> {
  const gate = Promise.withResolvers<void>()
  await shown.route(
    (url) => isHeld(url.pathname),
    async (route) => {
      await gate.promise
      await route.continue()
    },
  )
  return () => gate.resolve()
}

/** The paths that a page asks the API for, from now on. */
function askedBy(watched: Page): string[] {
  const paths: string[] = []
  watched.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/')) paths.push(pathname)
  })
  return paths
}

/** Opens a screen whose code is late, and holds what it shows first to be asked for meanwhile, and only once. */
async function expectReadAhead(shown: Page, [address, file, reads]: Screen): Promise<void> {
  const code = pageList
    .parse(JSON.parse(readFileSync(BUILT, 'utf8')))
    .find((screen) => screen.address === address.replace(/\?.*/, ''))
    ?.files.find((one) => one.startsWith(`/assets/${file}-`))
  expect(code).toBeDefined()
  await shown.goto('about:blank')
  const letCodeGo = await hold(shown, (path) => path === code)
  const letAnswersGo = await hold(shown, (path) => path in reads)
  const asked = askedBy(shown)
  const early = Promise.all(
    Object.keys(reads).map((path) =>
      shown.waitForRequest((request) => new URL(request.url()).pathname === path),
    ),
  )
  await shown.goto(address, { waitUntil: 'commit' })
  await early
  expect(await title(shown).count()).toBe(0)

  letCodeGo()
  await title(shown).waitFor()
  letAnswersGo()
  await shown.waitForLoadState('networkidle')
  const counted = Object.keys(reads).map((path) => [
    path,
    asked.filter((one) => one === path).length,
  ])
  expect(Object.fromEntries(counted)).toEqual(reads)
  await shown.unrouteAll({ behavior: 'wait' })
}

test.each(SCREENS)(
  'given %s, when its code is on its way, then what it shows first is asked for, and only once',
  (...screen) => expectReadAhead(page, screen),
  BUSY_MS,
)

test(
  'given root, when the code of the settings is on its way, then options are asked for, and only once',
  async () => {
    const { page: roots } = await openBeside(page, gateway, { language: 'en' })
    await expectReadAhead(roots, SETTINGS)
    await roots.context().close()
  },
  BUSY_MS,
)

test(
  'given a user, when screens of administrators are opened, then nothing of them is asked for',
  async () => {
    const { page: hers } = await openBeside(page, gateway, { language: 'en', who: ANN })
    const asked = askedBy(hers)
    for (const address of ['/user', '/channel', '/audit/journal']) {
      await hers.goto(address)
      await hers.getByText(t('place.forbidden')).waitFor()
      await hers.waitForLoadState('networkidle')
    }
    expect(asked).toContain('/api/status')
    expect(
      asked.filter((path) => /^\/api\/(user\/|channel\/|ledger\/journal)$/.test(path)),
    ).toEqual([])
    await hers.context().close()
  },
  BUSY_MS,
)

test(
  'given nobody is signed in, when the log is opened, then nothing of it is asked for',
  async () => {
    const browser = await openChromium()
    const view = { language: 'en', theme: 'light', width: 1366 } as const
    const { page: visitors } = await openPage(browser, gateway.product.url, view)
    const asked = askedBy(visitors)
    await visitors.goto('/log')
    await visitors.waitForURL('**/login**')
    await visitors.waitForLoadState('networkidle')
    expect(asked.filter((path) => path.startsWith('/api/log'))).toEqual([])
    await browser.close()
  },
  BUSY_MS,
)

test(
  'given a link to a list, when it is pointed at, then its code is fetched, and nothing is read',
  async () => {
    await page.goto('/log')
    const link = page.getByRole('navigation').locator('a[href^="/redemption"]').first()
    await link.waitFor()
    const asked = askedBy(page)
    const fetched = page.waitForResponse((response) =>
      response.url().includes('/assets/redemption-'),
    )
    await link.hover()
    await fetched
    await page.waitForLoadState('networkidle')
    expect(asked.filter((path) => path.startsWith('/api/redemption'))).toEqual([])
  },
  BUSY_MS,
)
