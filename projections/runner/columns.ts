/**
 * Rows as one PostgreSQL array text per column, in the order of the names: parameters of `unnest($1::bigint[], …)`.
 * Writing the texts here is several times faster than pg's own array conversion. NUL characters, which a client can
 * put into a model's name but PostgreSQL cannot store, are dropped: nobody may be able to stop a projector.
 */
export function columnsOf<Row extends object>(
  rows: readonly Row[],
  names: readonly (keyof Row)[],
): string[] {
  return names.map((name) => arrayText(rows.map((row) => row[name])))
}

/** `{1,NULL,"a \"quoted\" text"}` (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO). */
export const arrayText = (values: readonly unknown[]): string =>
  `{${values.map(element).join(',')}}`

function element(value: unknown): string {
  if (typeof value === 'string') return `"${needsEscape.test(value) ? escaped(value) : value}"`
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value === 'boolean') return value ? 't' : 'f'
  if (value === null || value === undefined) return 'NULL'
  throw new TypeError(`${typeof value} ${JSON.stringify(value)} cannot be stored in a column`)
}

// oxlint-disable-next-line no-control-regex -- NUL is what this looks for.
const needsEscape = /["\\\u0000]/
const escaped = (text: string): string =>
  withoutNul(text)
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)

/** PostgreSQL's text has no NUL. */
export const withoutNul = (text: string): string => text.replaceAll('\u0000', '')

/** Longest text of a key column in characters; PostgreSQL refuses index entries over 2,700 bytes. */
const KEY_CHARACTERS = 255

/**
 * A text from outside as it will stand in a key column: two texts that PostgreSQL would store alike are alike here too
 * (lone surrogates become U+FFFD), so that grouping in memory and in the table agree.
 */
export const keyText = (text: string): string =>
  withoutNul(text.length > KEY_CHARACTERS ? text.slice(0, KEY_CHARACTERS) : text).toWellFormed()
