import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ACCENT_MARK, fillOf, type Mark, PATTERNS, patternId } from './chart-marks.ts'

const stored = new Map<string, string>()
let marksFor: (names: readonly string[]) => ReadonlyMap<string, Mark>

/** The module as a page loads it, with what the browser kept of earlier pages. */
async function loadPage(): Promise<void> {
  vi.resetModules()
  ;({ marksFor } = await import('./chart-marks.ts'))
}

beforeEach(async () => {
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  })
  await loadPage()
})
afterEach(() => {
  vi.unstubAllGlobals()
  stored.clear()
})

const names = (count: number) => Array.from({ length: count }, (_, index) => `model-${index}`)

test('given a name, when others are drawn beside it or before it, then it keeps its colour', () => {
  const alone = marksFor(['gpt-4o-mini']).get('gpt-4o-mini')
  for (const others of [names(40), ['o3-mini', 'text-embedding-3-small'], []]) {
    const beside = marksFor([...others, 'gpt-4o-mini']).get('gpt-4o-mini')
    expect(beside?.color).toBe(alone?.color)
  }
})

test('given as many names as colours, when marked, then each has its own and keeps it on the next page', async () => {
  const marks = marksFor(names(16))
  expect(new Set([...marks.values()].map(({ color }) => color)).size).toBe(16)
  expect([...marks.values()].every(({ pattern }) => pattern === 'solid')).toBe(true)
  await loadPage()
  // Alone and in another order, each would have got its hash's colour.
  for (const name of names(16).toReversed())
    expect(marksFor([name]).get(name)?.color).toBe(marks.get(name)?.color)
})

test('given more names than colours, when marked together, then no two look the same', () => {
  const marks = [...marksFor(names(24)).values()]
  expect(marks.slice(0, 16).every(({ pattern }) => pattern === 'solid')).toBe(true)
  const alike = marks.filter(({ color }) => color === marks[16]?.color)
  expect(alike.length).toBeGreaterThan(1)
  expect(new Set(alike.map(patternId)).size).toBe(Math.min(alike.length, PATTERNS.length))
})

test('given what a browser kept is damaged, when names are marked, then colours are given anew', async () => {
  const fresh = marksFor(['gpt-4o']).get('gpt-4o')
  for (const text of ['{', 'null', '{"gpt-4o":"red; content: url(x)"}']) {
    stored.set('model-colors', text)
    await loadPage()
    expect(marksFor(['gpt-4o']).get('gpt-4o')).toEqual(fresh)
  }
})

test('given any name, when marked, then its colour is not that of lists of one kind', () => {
  for (const { color } of marksFor(names(16)).values()) expect(color).not.toBe(ACCENT_MARK.color)
})

test('given models that are often seen together, when marked, then each has a colour of its own', () => {
  const models = ['gpt-4o', 'gpt-4o-mini', 'gpt-4.1', 'o3-mini', 'claude-sonnet-4-20250514']
  const others = ['gemini-2.5-pro', 'deepseek-chat', 'deepseek-reasoner', 'text-embedding-3-small']
  const colors = [...marksFor([...models, ...others]).values()].map((mark) => mark.color)
  expect(new Set(colors).size).toBe(9)
})

test('given a mark, when filled, then a solid one is its colour and another its pattern', () => {
  expect(fillOf({ color: '#123456', pattern: 'solid' })).toBe('#123456')
  expect(fillOf({ color: '#123456', pattern: 'dots' })).toBe('url(#mark-dots-123456)')
})
