import { withoutNul } from '@tollgate/domain/text.ts'

/** PostgreSQL types that a column can be written as. */
export type ColumnType = keyof typeof TYPES

/** A row's fields in the order in which they are written, each with its column's type. */
export type Columns<Row> = { readonly [Name in keyof Row]?: ColumnType }

/** `unnest($1::bigint[], …) as t (id, …)`: the rows of `valuesOf` as a table to select from. */
export function unnest(columns: Readonly<Record<string, ColumnType>>): string {
  const parameters = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`)
  return `unnest(${parameters.join(', ')}) as t (${namesOf(columns)})`
}

/** The columns' names, for the list of an insert. */
export const namesOf = (columns: Readonly<Record<string, ColumnType>>): string =>
  Object.keys(columns).join(', ')

/**
 * Rows as one binary PostgreSQL array per column: parameters for `unnest`. Binary spares both sides the quoting of
 * text; pg sends a Buffer as it is. NUL characters, which a client can put into a model's name but PostgreSQL cannot
 * store, are dropped: nobody may be able to stop a projector.
 */
export function valuesOf<Row extends object>(
  rows: readonly Row[],
  columns: Columns<Row>,
): readonly Buffer[] {
  return (Object.entries(columns) as [keyof Row, ColumnType][]).map(([name, type]) =>
    encode(type, rows, (row) => row[name]),
  )
}

/** Header of a one-dimensional array: dimensions, whether it has nulls, element type, length, first index. */
const HEADER_BYTES = 20
const LENGTH_BYTES = 4

/** A binary array (https://www.postgresql.org/docs/current/xfunc-c.html, array_recv); null and undefined are NULL. */
export const arrayOf = (type: ColumnType, values: readonly unknown[]): Buffer =>
  encode(type, values, (value) => value)

function encode<Row>(
  type: ColumnType,
  rows: readonly Row[],
  valueOf: (row: Row) => unknown,
): Buffer {
  const { oid, bytesOf, write } = TYPES[type]
  let bytes = HEADER_BYTES + rows.length * LENGTH_BYTES
  for (const row of rows) {
    const value = valueOf(row)
    if (value !== null && value !== undefined) bytes += bytesOf(value)
  }
  const buffer = Buffer.allocUnsafe(bytes)
  buffer.writeInt32BE(1, 0)
  buffer.writeInt32BE(1, 4)
  buffer.writeInt32BE(oid, 8)
  buffer.writeInt32BE(rows.length, 12)
  buffer.writeInt32BE(1, 16)
  let end = HEADER_BYTES
  for (const row of rows) {
    const value = valueOf(row)
    if (value === null || value === undefined) {
      end = buffer.writeInt32BE(-1, end)
      continue
    }
    const written = write(buffer, value, end + LENGTH_BYTES)
    buffer.writeInt32BE(written, end)
    end += LENGTH_BYTES + written
  }
  return buffer.subarray(0, end)
}

interface Encoding {
  readonly oid: number
  /** At most. */
  readonly bytesOf: (value: unknown) => number
  /** Answers how many bytes it has written. */
  readonly write: (buffer: Buffer, value: unknown, at: number) => number
}

const whole = (oid: number, bytes: 2 | 4): Encoding => ({
  oid,
  bytesOf: () => bytes,
  write: (buffer, value, at) => buffer.writeIntBE(integer(value), at, bytes) - at,
})

/** Type numbers of pg_type. */
const TYPES = {
  smallint: whole(21, 2),
  int: whole(23, 4),
  bigint: {
    oid: 20,
    bytesOf: () => 8,
    write: (buffer, value, at) => {
      const number = integer(value)
      const high = Math.floor(number / 2 ** 32)
      buffer.writeInt32BE(high, at)
      buffer.writeUInt32BE(number - high * 2 ** 32, at + 4)
      return 8
    },
  },
  boolean: {
    oid: 16,
    bytesOf: () => 1,
    write: (buffer, value, at) => buffer.writeUInt8(value === true ? 1 : 0, at) - at,
  },
  text: {
    oid: 25,
    bytesOf: (value) => text(value).length * 3,
    write: (buffer, value, at) => buffer.write(withoutNul(text(value)), at),
  },
  uuid: {
    oid: 2950,
    bytesOf: () => 16,
    write: (buffer, value, at) => {
      const written = buffer.write(text(value).replaceAll('-', ''), at, 'hex')
      if (written !== 16) throw new TypeError(`${text(value)} is no UUID`)
      return written
    },
  },
} as const satisfies Record<string, Encoding>

function integer(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw new TypeError(`${String(value)} is no whole number`)
}

function text(value: unknown): string {
  if (typeof value === 'string') return value
  throw new TypeError(`${typeof value} is no text`)
}

/** Longest text of a key column in characters; PostgreSQL refuses index entries over 2,700 bytes. */
const KEY_CHARACTERS = 255

/**
 * A text from outside as it will stand in a key column: two texts that PostgreSQL would store alike are alike here too
 * (lone surrogates become U+FFFD), so that grouping in memory and in the table agree.
 */
export const keyText = (written: string): string =>
  withoutNul(
    written.length > KEY_CHARACTERS ? written.slice(0, KEY_CHARACTERS) : written,
  ).toWellFormed()
