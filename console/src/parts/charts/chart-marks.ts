/** How one series is drawn: a colour that reaches 3:1 on both themes, and a pattern where two must share a colour. */
export interface Mark {
  readonly color: string
  readonly pattern: Pattern
}

/** The ways to fill a bar, told apart without colour. */
export const PATTERNS = ['solid', 'diagonal', 'dots', 'lines'] as const
/** One way to fill a bar; `hatched` is kept for the second of two sources. */
export type Pattern = (typeof PATTERNS)[number] | 'hatched'

/** The same colour as the second source of a chart draws it. */
export const besideMark = ({ color }: Mark): Mark => ({ color, pattern: 'hatched' })

/** Sixteen hues, light and dark in turn, so that neighbours differ in more than hue. */
const COLORS = [
  '#0f9b89',
  '#04737a',
  '#0e94ba',
  '#056bb0',
  '#647ee0',
  '#6a6093',
  '#a867c3',
  '#8c557d',
  '#cc5a82',
  '#865c5a',
  '#cd632d',
  '#925b0d',
  '#a38207',
  '#686c09',
  '#5c9932',
  '#007848',
] as const

/** How what is left over is drawn, beside the series that have names. */
export const OTHER_MARK: Mark = { color: '#8a857c', pattern: 'solid' }

/**
 * Marks for the names of one page, the most important first. A name keeps its colour in every chart and range of this
 * browser: the one that its hash chooses, or the next that no other name has. Once none is left, names share colours;
 * the first of them is solid and the others get patterns.
 */
export function marksFor(names: readonly string[]): ReadonlyMap<string, Mark> {
  const used = new Map<string, number>()
  return new Map(
    names.map((name) => {
      const color = colorOf(name)
      const before = used.get(color) ?? 0
      used.set(color, before + 1)
      // With more names of one colour than patterns, repeats are unavoidable; charts show far fewer.
      return [name, { color, pattern: PATTERNS[before % PATTERNS.length] ?? 'solid' }]
    }),
  )
}

/** The bars of lists whose lines are all of one kind; no model's colour. */
export const ACCENT_MARK: Mark = { color: '#66788f', pattern: 'solid' }

const STORAGE_KEY = 'model-colors'
/** Steps through all sixteen colours, each far from the one before. */
const COLOR_STEP = 7
/** The colours that names have in this browser, read when the first one is asked for. */
let given: Map<string, string> | undefined

function colorOf(name: string): string {
  given ??= storedColors()
  const known = given.get(name)
  if (known !== undefined) return known
  const taken = new Set(given.values())
  const first = hash(name) % COLORS.length
  const choices = COLORS.map((_, step) => COLORS[(first + step * COLOR_STEP) % COLORS.length] ?? '')
  const free = choices.find((color) => !taken.has(color))
  if (free === undefined) return choices[0] ?? ''
  given.set(name, free)
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(Object.fromEntries(given)))
  } catch {
    // Without storage the colours last as long as the page.
  }
  return free
}

function storedColors(): Map<string, string> {
  try {
    const value = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}') as Record<string, unknown>
    const colors: ReadonlySet<unknown> = new Set(COLORS)
    return new Map(
      Object.entries(value).filter((entry): entry is [string, string] => colors.has(entry[1])),
    )
  } catch {
    // A damaged entry means that colours are given anew.
    return new Map()
  }
}

/** The id of the SVG pattern that fills with a mark. */
export function patternId(mark: Mark): string {
  return `mark-${mark.pattern}-${mark.color.slice(1)}`
}

/** The fill of an SVG shape that shows a mark. */
export function fillOf(mark: Mark): string {
  return mark.pattern === 'solid' ? mark.color : `url(#${patternId(mark)})`
}

/** Chosen so that a dozen of the models in widest use have a colour each. */
const HASH_SEED = 0x811c9fe2

/** FNV-1a over the UTF-16 units: short, and spreads names that differ in their last letter. */
function hash(name: string): number {
  let value = HASH_SEED
  for (let at = 0; at < name.length; at += 1)
    value = Math.imul(value ^ name.charCodeAt(at), 0x01000193)
  return value >>> 8
}
