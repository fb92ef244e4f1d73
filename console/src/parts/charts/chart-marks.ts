/** How one series is drawn: a colour that reaches 3:1 on both themes, and a pattern where two share a colour. */
export interface Mark {
  readonly color: string
  readonly pattern: Pattern
}

/** The ways to fill a bar, told apart without colour. */
export const PATTERNS = ['solid', 'diagonal', 'dots', 'lines'] as const
/** One way to fill a bar. */
export type Pattern = (typeof PATTERNS)[number]

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
 * Marks for the names of one page, the most important first. A name's hash alone chooses its colour, so that a model
 * has the same one in every chart, range and browser; of names that share a colour the first is solid and the others
 * get patterns.
 */
export function marksFor(names: readonly string[]): ReadonlyMap<string, Mark> {
  const used = new Map<string, number>()
  return new Map(
    names.map((name) => {
      const color = COLORS[hash(name) % COLORS.length] ?? COLORS[0]
      const before = used.get(color) ?? 0
      used.set(color, before + 1)
      // With more names of one colour than patterns, repeats are unavoidable; charts show far fewer.
      return [name, { color, pattern: PATTERNS[before % PATTERNS.length] ?? 'solid' }]
    }),
  )
}

/** The accent of lists whose lines are all of one kind. */
export const ACCENT_MARK: Mark = { color: COLORS[0], pattern: 'solid' }

/** The id of the SVG pattern that fills with a mark. */
export function patternId(mark: Mark): string {
  return `mark-${mark.pattern}-${mark.color.slice(1)}`
}

/** What an SVG shape is filled with to show a mark. */
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
