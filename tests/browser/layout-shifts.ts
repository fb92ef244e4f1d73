import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, Page, Route } from 'playwright-core'

/** One part of the page that has moved: where it stood and where it stands now, in CSS pixels from the window's corner. */
export interface Shift {
  /** Share of the window that was moved times how far, as Chromium counts it for CLS. */
  readonly value: number
  readonly moved: readonly string[]
}

/**
 * From now on, every page of the context notes what moves without anybody having asked for it. Each answer of the
 * server waits for a while of its own, so that the page is painted in all the states between its frame and its last
 * figure, as it is on a slow line: what only moves there would go unnoticed beside a fast server. Another `order` lets
 * the answers come in another order; `changed` may put another answer in the place of one.
 */
export async function noteShifts(
  context: BrowserContext,
  order: number,
  changed: (route: Route) => Promise<void> = (route) => route.continue(),
): Promise<void> {
  await context.addInitScript(NOTE)
  await context.route('**/api/**', async (route) => {
    await sleep(waitOf(new URL(route.request().url()), order))
    // The page may have been left meanwhile.
    await changed(route).catch(() => undefined)
  })
}

/** Shifts on the page since it was opened. */
export function shiftsOn(page: Page): Promise<readonly Shift[]> {
  return page.evaluate('globalThis.notedShifts()')
}

const WAIT_MS_LEAST = 80
const WAIT_MS_MOST = 400

/** Milliseconds that an address has to wait: always the same for one, different for its neighbours. */
function waitOf({ pathname }: URL, order: number): number {
  let hash = order
  for (const character of pathname) hash = (hash * 31 + character.charCodeAt(0)) % 10_007
  return WAIT_MS_LEAST + (hash % (WAIT_MS_MOST - WAIT_MS_LEAST))
}

/** Runs in the page. */
const NOTE = `(() => {
  const shifts = []
  const described = (node) => {
    const element = node?.nodeType === 1 ? node : node?.parentElement
    if (!element) return 'what is gone by now'
    const name = element.getAttribute('aria-label') ?? element.id
    const text = (element.textContent ?? '').replace(/\\s+/g, ' ').slice(0, 40)
    return element.tagName.toLowerCase() + (name ? '[' + name + ']' : '') + ' "' + text + '"'
  }
  const box = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ')
  const keep = (list) => {
    for (const entry of list)
      if (!entry.hadRecentInput)
        shifts.push({
          value: entry.value,
          moved: entry.sources.map(
            ({ node, previousRect, currentRect }) =>
              described(node) + ': ' + box(previousRect) + ' -> ' + box(currentRect),
          ),
        })
  }
  const observer = new PerformanceObserver((list) => keep(list.getEntries()))
  observer.observe({ type: 'layout-shift', buffered: true })
  globalThis.notedShifts = () => {
    keep(observer.takeRecords())
    return shifts
  }
})()`
