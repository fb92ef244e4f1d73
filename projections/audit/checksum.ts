import { hash } from 'node:crypto'
import { storableText } from '@tollgate/domain/text.ts'

/** First hex digits of an MD5: 48 bits, so that numbers add them up without loss. It finds accidents, not forgers' work. */
const DIGITS = 12
const MODULUS = 2 ** 48

/** SQL that adds up the checksums of rows, each over these columns; `checksumOf` and `addChecksum` do the same here. */
export const checksumSql = (columns: readonly string[]): string =>
  `(sum(('x' || left(md5(concat_ws('|', ${columns.join(', ')})), ${DIGITS}))::bit(48)::bigint) % ${MODULUS})::bigint`

/** Checksum of one row's columns, as their texts stand in PostgreSQL. */
export const checksumOf = (values: ReadonlyArray<string | number>): number =>
  Number.parseInt(hash('md5', storableText(values.join('|'))).slice(0, DIGITS), 16)

/** The sum of two, in any order. */
export const addChecksum = (sum: number, added: number): number => (sum + added) % MODULUS
