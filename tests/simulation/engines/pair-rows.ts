import type { QuerySqlToken } from 'slonik'

/** The rows by which a database knows which log it goes with: `ledger.pair` and `ledger.own_claims`. */
export interface PairRows {
  pair: { readonly log: string; seen: readonly SeenRow[] } | null
  readonly claims: Set<unknown>
}

/** The row that was noted of the log, in the order of the statement that writes it. */
interface SeenRow {
  readonly position: number
  readonly stream: unknown
  readonly revision: unknown
  readonly hash: unknown
}

export const emptyPairRows = (): PairRows => ({ pair: null, claims: new Set() })

/** How far the log was seen, as the rows have it; −1 before anything was noted. */
export const notedPosition = ({ pair }: PairRows): number => pair?.seen.at(-1)?.position ?? -1

/** The rows are older again: they know nothing of the log from this position on. */
export function putBackPair(rows: PairRows, position: number): void {
  if (rows.pair === null) return
  rows.pair.seen = rows.pair.seen.filter((seen) => seen.position < position)
}

type Values = readonly unknown[]

/** Statements of `pairTable` and of `acceptRollback`, by how they begin, and the rows that each answers. */
const STATEMENTS: readonly (readonly [string, (rows: PairRows, values: Values) => object[]])[] = [
  ['select log, position, stream, revision, hash from ledger.pair', readPair],
  [
    'insert into ledger.pair (log) values ($1) on conflict do nothing',
    (rows, [log]) => {
      rows.pair ??= { log: String(log), seen: [] }
      return []
    },
  ],
  [
    'insert into ledger.pair (log) values ($1) on conflict (only_row) do update',
    (rows, [log]) => {
      if (rows.pair?.log !== log) rows.pair = { log: String(log), seen: [] }
      return []
    },
  ],
  ['update ledger.pair set position', note],
  // Every account belongs to somebody.
  ['select exists (select from identity.users)', () => [{ exists: true }]],
  // Nothing is driven across streams here.
  ['select log from process_manager.checkpoint', () => []],
  [
    'insert into ledger.own_claims',
    ({ claims }, [claim]) => {
      claims.add(claim)
      return []
    },
  ],
  [
    'select exists (select from ledger.own_claims',
    ({ claims }, [claim]) => [{ exists: claims.has(claim) }],
  ],
  // People and secrets are no part of what is tried here.
  ['update identity.', () => []],
  ['update "identity".', () => []],
  ['update "secrets".', () => []],
]

/** Does a statement on the rows of the pair; one that is not known is an error. */
export function pairStatement(rows: PairRows, { sql, values }: QuerySqlToken): object[] {
  const text = sql.replaceAll('$slonik_', '$').replaceAll(/\s+/g, ' ').trim()
  const statement = STATEMENTS.find(([beginning]) => text.startsWith(beginning))
  if (statement === undefined) throw new TypeError(`the simulated database does not know: ${text}`)
  return statement[1](rows, values)
}

function readPair({ pair }: PairRows): object[] {
  if (pair === null) return []
  const nothing = { position: null, stream: null, revision: null, hash: null }
  return [{ log: pair.log, ...(pair.seen.at(-1) ?? nothing) }]
}

function note(rows: PairRows, [at, stream, revision, hash, log]: Values): object[] {
  const { pair } = rows
  const position = Number(at)
  if (pair === null || pair.log !== log || position <= notedPosition(rows)) return []
  pair.seen = [...pair.seen, { position, stream, revision, hash }]
  return []
}
