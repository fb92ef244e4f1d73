import { buildConsole } from '@tollgate/infra/build-console.ts'
import type { CDPSession, Page } from 'playwright-core'
import { signIn } from '../browser/sign-in.ts'
import { textsOf } from '../browser/texts.ts'
import { launchChromium, openPage } from '../support/browser/browser.ts'
import { logCaughtUp } from '../support/books.ts'
import { type Gateway, ROOT, startSingleGateway } from '../support/gateway.ts'
import { type Figure, fraction, whole } from './figures.ts'
import { percentile } from './percentiles.ts'
import { scaled } from './scale.ts'

const MODEL = 'gpt-4o-mini'
/** Rows on a page: the most that can be chosen. */
const ROWS = 100
const KEYS = '0.1234567890123456789'.split('')
const STEPS = 20
const OPENINGS = 8
/** How often it is measured what watching a page that does nothing costs it. */
const WATCHING_SAMPLES = 9
const t = textsOf('en')

/**
 * The work of the console's main thread for one key in the price editor, for the next row of a long list, and for a
 * form that opens at the side: its processor time, so that other programs on the machine do not count.
 */
export async function consoleFigures(say: (line: string) => void): Promise<Figure[]> {
  await buildConsole()
  say(`console: ${whole(scaled(ROWS))} requests for the log`)
  const gateway = await startSingleGateway({ models: [MODEL] })
  try {
    await fillLog(gateway)
    const browser = await launchChromium()
    try {
      const view = { language: 'en', theme: 'light', width: 1440 } as const
      const { page } = await openPage(browser, gateway.product.url, view)
      await page.addInitScript(`localStorage.setItem('page-size', '${ROWS}')`)
      await signIn(page, ROOT, 'en')
      const thread = await MainThread.of(page)
      say('console: keys, rows and forms')
      return [
        figure(`a key in the price editor, ${ROWS} models in view`, await keys(thread), 16),
        figure('the next row of the log by keyboard', await nextRows(thread), 30),
        figure('the form of a new token opens', await openings(thread), 150),
      ]
    } finally {
      await browser.close()
    }
  } finally {
    await gateway.stop()
  }
}

async function fillLog(gateway: Gateway): Promise<void> {
  const { root, product } = gateway
  const { key } = await root.createToken({ name: 'bench' })
  const client = gateway.openai(key)
  for (let call = 0; call < scaled(ROWS); call += 1)
    await client.chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: 'hello' }],
    })
  await logCaughtUp(product, root)
}

async function keys(thread: MainThread): Promise<readonly number[]> {
  const { page } = thread
  await page.goto('/setting?prices=visual')
  const field = page
    .locator('tbody tr')
    .nth(ROWS / 2)
    .getByRole('textbox')
    .first()
  await field.click()
  return thread.each(KEYS, (key) => page.keyboard.press(key))
}

async function nextRows(thread: MainThread): Promise<readonly number[]> {
  const { page } = thread
  await page.goto('/log')
  await page.locator('tbody tr[data-row]').nth(1).waitFor()
  return thread.each(Array.from({ length: STEPS }), () => page.keyboard.press('j'))
}

async function openings(thread: MainThread): Promise<readonly number[]> {
  const { page } = thread
  await page.goto('/token')
  const open = page.getByRole('button', { name: t('tokens.create'), exact: true }).first()
  const form = page.getByRole('dialog')
  return thread.each(
    Array.from({ length: OPENINGS }),
    async () => {
      await open.click()
      await form.waitFor()
    },
    async () => {
      await page.keyboard.press('Escape')
      await form.waitFor({ state: 'detached' })
    },
  )
}

/** The thread of a page that draws it and answers its keys. */
class MainThread {
  readonly page: Page
  readonly #session: CDPSession

  private constructor(page: Page, session: CDPSession) {
    this.page = page
    this.#session = session
  }

  static async of(page: Page): Promise<MainThread> {
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    return new MainThread(page, session)
  }

  /**
   * Milliseconds of processor time that an action takes with each of some values until the page is at rest, without what
   * being watched costs the page by itself.
   */
  async each<Value>(
    values: readonly Value[],
    act: (value: Value) => Promise<unknown>,
    putBack: () => Promise<void> = async () => {},
  ): Promise<readonly number[]> {
    const own: number[] = []
    while (own.length < WATCHING_SAMPLES) own.push(await this.#msOf(async () => {}))
    const watching = percentile(own, 50)
    const samples: number[] = []
    for (const value of values) {
      samples.push((await this.#msOf(() => act(value))) - watching)
      await putBack()
    }
    return samples
  }

  async #msOf(act: () => Promise<unknown>): Promise<number> {
    await this.#rest()
    const before = await this.#taskMs()
    await act()
    await this.#rest()
    return (await this.#taskMs()) - before
  }

  async #taskMs(): Promise<number> {
    const { metrics } = await this.#session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000
  }

  /** Until what was to be drawn is drawn, with time for what follows from it. */
  async #rest(): Promise<void> {
    await this.page.evaluate(
      'new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))',
    )
  }
}

/** The median is held against the target: the first time also fetches code, and later ones collect garbage. */
function figure(what: string, samples: readonly number[], targetMs: number): Figure {
  const median = percentile(samples, 50)
  return {
    what: `main thread: ${what}`,
    measured: `p50 ${fraction(median)} ms, at most ${fraction(Math.max(...samples))} ms of ${samples.length}`,
    target: `≤ ${targetMs} ms`,
    isReached: median <= targetMs,
  }
}
