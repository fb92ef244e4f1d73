import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { buildConsole } from '@tollgate/infra/build-console.ts'
import { PASSWORD } from '@tollgate/infra/demo/people.ts'
import { type BrowserContext, chromium } from 'playwright-core'
import { z } from 'zod'
import { signIn } from '../browser/sign-in.ts'
import { chromiumOptions } from '../support/browser/chromium.ts'
import { percentile } from '../bench/percentiles.ts'
import { startDemo } from '../support/demo-process.ts'
import { installLocked } from '../support/install-locked.ts'
import { freePort } from '../support/free-port.ts'
import { type Device, type Measured, missedBy, type Place, summaryOf } from './limits.ts'

/**
 * `npm run lighthouse`: Lighthouse's scores of home, sign-in, log and dashboard, on a desk and on a phone, of a small
 * demo that it starts, or of what runs at `--url` (as root, with `--password`). Each is the median of `--runs` (3);
 * `--page` and `--device` (again and again) take these alone. Fails when one is below its limit.
 */
const here = import.meta.dirname
const CLI = join(here, 'node_modules/lighthouse/cli/index.js')
const PLACES: readonly Place[] = ['/', '/login', '/log', '/detail']
/** Looked at before anybody has signed in. */
const VISITOR_PLACES: readonly Place[] = ['/', '/login']
const DEVICES: readonly Device[] = ['desktop', 'mobile']
const METRICS = [
  'first-contentful-paint',
  'largest-contentful-paint',
  'speed-index',
  'total-blocking-time',
] as const
/** Enough for the log and every chart to have something to show. */
const DEMO_REQUESTS = 1_500

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    password: { type: 'string', default: PASSWORD },
    runs: { type: 'string', default: '3' },
    page: { type: 'string', multiple: true, default: [] },
    device: { type: 'string', multiple: true, default: [] },
  },
})
/** Lighthouse loses the beginning of a page now and then (NO_NAVSTART), and asks to be run again. */
const ATTEMPTS_MAX = 3
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const audit = z.object({
  id: z.string(),
  score: z.number().nullable(),
  title: z.string(),
  numericValue: z.number().optional(),
  details: z.unknown().optional(),
})
const category = z.object({
  score: z.number(),
  auditRefs: z.array(z.object({ id: z.string(), weight: z.number() })),
})
const report = z.object({
  finalDisplayedUrl: z.string(),
  runtimeError: z.object({ message: z.string() }).optional(),
  audits: z.record(z.string(), audit),
  environment: z.object({ benchmarkIndex: z.number() }),
  categories: z.object({
    performance: category,
    accessibility: category,
    'best-practices': category,
  }),
})
type Report = z.output<typeof report>

installLocked(here)
await buildConsole()
const product =
  values.url === undefined
    ? await startDemo(DEMO_REQUESTS)
    : { url: values.url, stop: async () => {} }
const folder = await mkdtemp(join(tmpdir(), 'tollgate-lighthouse-'))
const port = await freePort()
const options = chromiumOptions()
try {
  const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    ...options,
    args: [...(options.args ?? []), `--remote-debugging-port=${port}`],
    baseURL: product.url,
  })
  try {
    const reached = await measureAll(context)
    process.exitCode = reached.every(Boolean) ? 0 : 1
  } finally {
    await context.close()
  }
} finally {
  await rm(folder, { recursive: true, force: true })
  await product.stop()
}

/** Whether each page has reached its limits: the visitors' first, then root's. */
async function measureAll(context: BrowserContext): Promise<boolean[]> {
  const places = PLACES.filter((place) => values.page.length === 0 || values.page.includes(place))
  const devices = DEVICES.filter(
    (device) => values.device.length === 0 || values.device.includes(device),
  )
  const reached: boolean[] = []
  let isSignedIn = false
  for (const place of places) {
    if (!isSignedIn && !VISITOR_PLACES.includes(place)) {
      await enter(context)
      isSignedIn = true
    }
    for (const device of devices) reached.push(await hasReached(context, place, device))
  }
  return reached
}

async function enter(context: BrowserContext): Promise<void> {
  const page = await context.newPage()
  await signIn(page, { username: 'root', password: values.password })
  await page.close()
}

async function hasReached(context: BrowserContext, place: Place, device: Device): Promise<boolean> {
  const reports: Report[] = []
  while (reports.length < Number(values.runs)) {
    await emptyCache(context)
    reports.push(await look(place, device))
  }
  const measured = summaryOf(reports.map(measuredBy))
  const missed = missedBy(measured, place, device)
  const { performance, accessibility, bestPractices, layoutShift } = measured
  say(
    `${missed.length === 0 ? 'ok  ' : 'MISS'} ${device} ${place}: performance ${performance}, accessibility ${accessibility}, best practices ${bestPractices}, CLS ${layoutShift.toFixed(3)}`,
  )
  say(`     ${METRICS.map((id) => metricOf(reports, id)).join(', ')}, ${speedOf(reports)}`)
  for (const line of new Set([...missed, ...reports.flatMap(faultsOf)])) say(`     ${line}`)
  return missed.length === 0
}

/** One run, from an empty cache but in the session that Chromium has. */
async function look(place: Place, device: Device): Promise<Report> {
  const file = join(folder, 'report.json')
  const args = [
    new URL(place, product.url).href,
    `--port=${port}`,
    '--output=json',
    `--output-path=${file}`,
    '--only-categories=performance,accessibility,best-practices',
    '--disable-storage-reset',
    '--no-enable-error-reporting',
    '--quiet',
    ...(device === 'desktop' ? ['--preset=desktop'] : []),
  ]
  for (let attempt = 1; !(await hasRun(args)); attempt++)
    if (attempt === ATTEMPTS_MAX) throw new Error(`lighthouse failed ${attempt} times at ${place}`)
  const seen = report.parse(JSON.parse(await readFile(file, 'utf8')))
  if (seen.runtimeError !== undefined) throw new Error(seen.runtimeError.message)
  if (new URL(seen.finalDisplayedUrl).pathname !== place)
    throw new Error(`${place} led to ${seen.finalDisplayedUrl}`)
  return seen
}

/** Whether Lighthouse has looked at the page; it says why not itself. */
async function hasRun(args: readonly string[]): Promise<boolean> {
  const run = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'inherit', 'inherit'] })
  const status = await new Promise((resolve) => run.once('exit', resolve))
  return status === 0
}

/** Chromium forgets what it has loaded, not who is signed in. */
async function emptyCache(context: BrowserContext): Promise<void> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.clearBrowserCache')
  await page.close()
}

function measuredBy({ categories, audits }: Report): Measured {
  const hundredths = (score: number): number => Math.round(score * 100)
  return {
    performance: hundredths(categories.performance.score),
    accessibility: hundredths(categories.accessibility.score),
    bestPractices: hundredths(categories['best-practices'].score),
    layoutShift: audits['cumulative-layout-shift']?.numericValue ?? Number.NaN,
  }
}

/** The median of one of the metrics that the performance score is made of, such as `largest-contentful-paint 2310 ms`. */
function metricOf(reports: readonly Report[], id: (typeof METRICS)[number]): string {
  const values = reports.map(({ audits }) => audits[id]?.numericValue ?? Number.NaN)
  return `${id} ${Math.round(percentile(values, 50))} ms`
}

/**
 * How fast the machine was meanwhile, by Lighthouse's own loop: the slower it is, the slower is the phone that Lighthouse
 * imitates on it. Below 1,000 Lighthouse says itself that its scores suffer
 * (https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md#cpu-throttling).
 */
function speedOf(reports: readonly Report[]): string {
  const indices = reports.map(({ environment }) => environment.benchmarkIndex)
  return `benchmark index ${Math.round(percentile(indices, 50))}`
}

/** Audits that cost points of accessibility or best practices. */
function faultsOf({ categories, audits }: Report): string[] {
  return [categories.accessibility, categories['best-practices']]
    .flatMap(({ auditRefs }) => auditRefs.filter(({ weight }) => weight > 0))
    .map(({ id }) => audits[id])
    .filter((found) => found?.score !== null && found !== undefined && found.score < 1)
    .map((found) => `${found?.id}: ${found?.title} ${JSON.stringify(found?.details ?? {})}`)
}
