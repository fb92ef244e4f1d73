/** How one series is drawn: a colour that reaches 3:1 on both themes, and a pattern for those who tell none apart. */
export interface Mark {
  readonly color: string
  readonly pattern: Pattern
}

/** The ways to fill a bar, told apart without colour. */
export const PATTERNS = ['solid', 'diagonal', 'dots', 'lines'] as const
/** One way to fill a bar. */
export type Pattern = (typeof PATTERNS)[number]

const COLORS = [
  '#1f8a80',
  '#3f7fd0',
  '#8465cf',
  '#bd5aa5',
  '#cf5a4e',
  '#c47425',
  '#8f8420',
  '#4c9150',
  '#6f7f8f',
  '#9a7358',
] as const

/** How what is left over is drawn, beside the series that have names. */
export const OTHER_MARK: Mark = { color: '#8a857c', pattern: 'solid' }

/** Marks that were given out on this visit, so that a model looks the same in every chart and every range. */
const given = new Map<string, Mark>()

/**
 * Marks for the names of one chart, drawn together. A name keeps the mark it had before; a new one gets the colour
 * that its hash chooses, or the next one free in this chart, and only when all colours are taken a pattern that tells
 * it from the others.
 */
export function marksFor(
  names: readonly string[],
  known: Map<string, Mark> = given,
): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark>()
  for (const name of names) {
    const mark = known.get(name)
    if (mark) marks.set(name, mark)
  }
  for (const name of names.toSorted()) {
    if (marks.has(name)) continue
    const mark = freeMark(name, [...marks.values()])
    known.set(name, mark)
    marks.set(name, mark)
  }
  return marks
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

function freeMark(name: string, taken: readonly Mark[]): Mark {
  const from = hash(name)
  const pattern = PATTERNS[from % PATTERNS.length] ?? 'solid'
  const colors = COLORS.map((_, step) => COLORS[(from + step) % COLORS.length] ?? COLORS[0])
  const freeColor = colors.find((color) => taken.every((mark) => mark.color !== color))
  if (freeColor) return { color: freeColor, pattern }
  const all = colors.flatMap((color) => PATTERNS.map((one): Mark => ({ color, pattern: one })))
  const free = all.find((mark) => taken.every((other) => patternId(other) !== patternId(mark)))
  // With more names than marks, repeats are unavoidable; charts show far fewer.
  return free ?? { color: COLORS[0], pattern }
}

/** FNV-1a over the UTF-16 units: short, and spreads names that differ in their last letter. */
function hash(name: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < name.length; at += 1)
    value = Math.imul(value ^ name.charCodeAt(at), 0x01000193)
  return value >>> 8
}
