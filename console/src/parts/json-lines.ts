/** A line of JSON that is set out: one value, or the bracket that ends an object or a list. */
export interface JsonLine {
  /** A JSON pointer to the value (RFC 6901); '' = the whole. */
  readonly path: string
  readonly depth: number
  /** The member's name; null in lists and for the whole. */
  readonly name: string | null
  readonly kind: 'text' | 'other' | 'nested' | 'end'
  /** The value as it is written, or the bracket that opens or ends it. */
  readonly text: string
  readonly value: unknown
  /** How many members a nested value has. */
  readonly size: number
  readonly isFolded: boolean
  /** Another member comes after it: a comma ends the line. */
  readonly hasNext: boolean
}

type Place = Pick<JsonLine, 'path' | 'depth' | 'name' | 'hasNext'>

const WHOLE: Place = { path: '', depth: 0, name: null, hasNext: false }

/** JSON.parse tells a number's digits, and JSON.rawJSON keeps them; TypeScript's library declares neither yet. */
const exact = JSON as {
  readonly rawJSON?: (text: string) => object
  readonly isRawJSON?: (value: unknown) => boolean
}

/**
 * The value that a JSON text stands for; undefined when it stands for none. A number that is written differently than
 * JavaScript would write it, such as an integer above 2^53, keeps its digits; a browser that cannot do so rounds it.
 */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) => {
      const source = context?.source
      if (typeof value !== 'number' || source === undefined || String(value) === source)
        return value
      return exact.rawJSON?.(source) ?? value
    })
  } catch {
    // Damaged JSON is shown as it is.
    return undefined
  }
}

/** The lines of a value, without those inside of what is folded (by path). */
export function jsonLines(value: unknown, folded: ReadonlySet<string>): readonly JsonLine[] {
  return linesAt(value, WHOLE, folded)
}

function linesAt(value: unknown, place: Place, folded: ReadonlySet<string>): readonly JsonLine[] {
  const line = { ...place, value, size: 0, isFolded: false }
  const members = membersOf(value)
  if (members.length === 0) {
    const kind = typeof value === 'string' ? 'text' : 'other'
    return [{ ...line, kind, text: JSON.stringify(value) }]
  }
  const isFolded = folded.has(place.path)
  const [opening, closing] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const head = { ...line, kind: 'nested', text: opening, size: members.length, isFolded } as const
  if (isFolded) return [{ ...head, text: `${opening}…${closing}` }]
  const inside = members.flatMap(([name, member], index) =>
    linesAt(
      member,
      {
        path: `${place.path}/${escaped(name)}`,
        depth: place.depth + 1,
        name: Array.isArray(value) ? null : name,
        hasNext: index < members.length - 1,
      },
      folded,
    ),
  )
  return [
    { ...head, hasNext: false },
    ...inside,
    { ...line, name: null, kind: 'end', text: closing },
  ]
}

const membersOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  typeof value === 'object' && value !== null && exact.isRawJSON?.(value) !== true
    ? Object.entries(value)
    : []

/** The paths of all nested values inside of a value; the whole is not among them. */
export const nestedPaths = (value: unknown): readonly string[] =>
  jsonLines(value, new Set())
    .filter(({ kind, path }) => kind === 'nested' && path !== '')
    .map(({ path }) => path)

/** A value as it is copied: texts without quotes, everything else as JSON. */
export const copiedText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2)

/** As in a JSON pointer (RFC 6901). */
const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
