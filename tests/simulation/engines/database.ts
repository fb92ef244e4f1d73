import { balances } from '@tollgate/projections/balances/projector.ts'
import type pg from 'pg'
import type { CommonQueryMethods, QuerySqlToken } from 'slonik'
import type { Life } from '../core/machine.ts'
import type { Runtime } from '../core/simulated-runtime.ts'
import { arrayValues } from './binary-array.ts'
import { emptyPairRows, notedPosition, pairStatement, putBackPair } from './pair-rows.ts'

/**
 * The database of the read models: the few statements that the balances projector and the runner's checkpoints send,
 * with transactions, a lock on the checkpoint's row, lost connections and commits that nobody hears of; and the rows
 * that pair it with a log. A statement about these that it does not know is an error: then it has to learn it.
 */
export interface SimulatedDatabase {
  readonly tables: BalanceTables
  /** For the projector. */
  poolOf(life: Life): pg.Pool
  /** For the rows about the log. */
  dbOf(life: Life): CommonQueryMethods
  setUnavailable(isUnavailable: boolean): void
  /** The read models are empty again, to be filled from the log's beginning. */
  clear(): void
  /** How far the log was seen, as processes have noted it. */
  noted(): number
  /** The rows about the log itself are older again, as with a server whose log was put back to so many events. */
  putBack(length: number): void
}

export interface BalanceTables {
  /** Rows of balances.accounts by user_id. */
  readonly accounts: Map<number, Row>
  /** Rows of balances.holds by hold. */
  readonly holds: Map<string, Row>
  /** Rows of balances.expired_holds by hold. */
  readonly expiredHolds: Map<string, Row>
  checkpoint: number
}

export type Row = Record<string, unknown>

interface Statement {
  readonly text: string
  readonly values?: readonly unknown[]
}

interface Transaction {
  readonly life: Life
  readonly changes: (() => void)[]
  isOpen: boolean
}

const LATENCY_MS = [1, 8] as const
const LOCK_LOOK_MS = 300
const SUMS = [
  'wallet',
  'held',
  'affiliate',
  'affiliate_earned',
  'affiliate_count',
  'used_quota',
  'request_count',
] as const

/** As pg reports a connection that broke. */
class ConnectionLost extends Error {
  readonly code = 'ECONNRESET'
}

export const emptyTables = (): BalanceTables => ({
  accounts: new Map(),
  holds: new Map(),
  expiredHolds: new Map(),
  checkpoint: -1,
})

/** See `SimulatedDatabase`. */
export function makeDatabase(runtime: Runtime): SimulatedDatabase {
  const { scheduler, chances } = runtime
  const tables = emptyTables()
  const pairRows = emptyPairRows()
  let isUnavailable = false
  let locked: Transaction | null = null

  const end = (transaction: Transaction | null): void => {
    if (transaction !== null) transaction.isOpen = false
    if (locked === transaction) locked = null
  }

  /** The lock is free, or its holder has died and the server has noticed. */
  const isFree = (): boolean => {
    if (locked !== null && !locked.life.isAlive()) end(locked)
    return locked === null
  }

  /** One statement on one connection: arrives or not, and is answered or not. */
  function send<Answer>(
    life: Life,
    transaction: () => Transaction | null,
    work: (answer: (rows: Answer) => void) => void,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      life.send(() => {
        const { databaseLost, databaseUnanswered } = runtime.faults()
        const fail = (): void =>
          void life.after(chances.whole(...LATENCY_MS), () => {
            end(transaction())
            reject(new ConnectionLost('the connection is lost'))
          })
        if (isUnavailable || chances.chance(databaseLost)) return fail()
        scheduler.at(scheduler.now() + chances.whole(...LATENCY_MS), () => {
          if (isUnavailable) return fail()
          work((answer) => {
            if (chances.chance(databaseUnanswered)) return fail()
            life.after(chances.whole(...LATENCY_MS), () => resolve(answer))
          })
        })
      })
    })
  }

  function connect(life: Life): pg.PoolClient {
    let transaction: Transaction | null = null
    let queue: Promise<unknown> = Promise.resolve()
    const current = (): Transaction | null => transaction

    const begin = (isSkipping: boolean, answer: (rows: unknown) => void): void => {
      if (!isFree()) {
        if (isSkipping) answer([{ rows: [] }])
        else {
          const againAt = scheduler.now() + LOCK_LOOK_MS
          scheduler.at(againAt, () => begin(isSkipping, answer))
        }
        return
      }
      transaction = { life, changes: [], isOpen: true }
      locked = transaction
      const { name, version } = balances
      answer([{ rows: [{ name, version, position: tables.checkpoint, failure: null }] }])
    }
    const commit = (to: number): void => {
      if (transaction === null || !transaction.isOpen) return
      for (const change of transaction.changes) change()
      tables.checkpoint = to
      end(transaction)
    }
    const execute = ({ text, values = [] }: Statement): Promise<unknown> =>
      send<unknown>(life, current, (answer) => {
        if (text.startsWith('begin')) {
          begin(text.includes('skip locked'), answer)
          return
        }
        if (text.startsWith('select 1 from projections.checkpoints')) {
          answer({ rows: [{}], rowCount: 1 })
          return
        }
        const checkpoint = /update projections\.checkpoints set position = (-?\d+)/.exec(text)
        if (text === 'rollback') end(transaction)
        else if (checkpoint !== null) commit(Number(checkpoint[1]))
        else transaction?.changes.push(changeOf(tables, text, values))
        answer({ rows: [] })
      })
    /** Statements of one connection are worked off in their order. */
    const query = (
      statement: string | Statement,
      values?: readonly unknown[],
    ): Promise<unknown> => {
      const asked =
        typeof statement === 'string' ? { text: statement, values: values ?? [] } : statement
      const answer = queue.then(() => execute(asked))
      queue = answer.catch(() => undefined)
      return answer
    }
    return { query, on() {}, off() {}, release: () => end(transaction) } as unknown as pg.PoolClient
  }

  return {
    tables,
    poolOf: (life) =>
      ({
        connect: () => Promise.resolve(connect(life)),
      }) as unknown as pg.Pool,
    dbOf(life) {
      const rowsOf = (statement: QuerySqlToken) =>
        send<readonly object[]>(
          life,
          () => null,
          (answer) => answer(pairStatement(pairRows, statement)),
        )
      const first = async (statement: QuerySqlToken): Promise<unknown> =>
        Object.values((await rowsOf(statement))[0] ?? { none: null })[0]
      const methods = {
        query: async (statement: QuerySqlToken) => ({ rows: await rowsOf(statement) }),
        maybeOne: async (statement: QuerySqlToken) => (await rowsOf(statement))[0] ?? null,
        maybeOneFirst: first,
        oneFirst: first,
      }
      return methods as unknown as CommonQueryMethods
    },
    noted: () => notedPosition(pairRows),
    putBack: (length) => putBackPair(pairRows, length),
    clear() {
      tables.accounts.clear()
      tables.holds.clear()
      tables.expiredHolds.clear()
      tables.checkpoint = -1
    },
    setUnavailable(unavailable) {
      isUnavailable = unavailable
      runtime.trace(() => `the database is ${unavailable ? 'away' : 'back'}`)
    },
  }
}

/**
 * The change that a statement of the projector makes to the tables; what it keeps beside balances and open holds is
 * left out.
 */
export function changeOf(
  tables: BalanceTables,
  text: string,
  parameters: readonly unknown[],
): () => void {
  if (text.startsWith('delete from balances.holds')) {
    const ended = parameters[0] as readonly string[]
    return () => ended.forEach((hold) => tables.holds.delete(hold))
  }
  if (!/ balances\.(accounts|holds)\b/.test(text)) return () => undefined
  const change = CHANGES.find(([beginning]) => text.startsWith(beginning))?.[1]
  if (change === undefined) throw new TypeError(`the simulated database does not know: ${text}`)
  const rows = rowsOf(text, parameters)
  return () => rows.forEach((row) => change(tables, row))
}

type Change = (tables: BalanceTables, row: Row) => void

/** By how the statements begin. */
const CHANGES: readonly (readonly [string, Change])[] = [
  ['insert into balances.accounts', ({ accounts }, row) => addUp(accounts, row)],
  [
    'update balances.accounts as a set status',
    ({ accounts }, { user_id: user, status }) =>
      Object.assign(accounts.get(Number(user)) ?? {}, { status }),
  ],
  [
    'update balances.holds as h set remaining',
    ({ holds }, row) => draw(holds.get(String(row['hold'])), row),
  ],
  ['insert into balances.expired_holds', expire],
  ['insert into balances.holds', ({ holds }, row) => holds.set(String(row['hold']), row)],
]

/** The rows of `unnest(…) as t (names)` from its parameters. */
function rowsOf(text: string, parameters: readonly unknown[]): Row[] {
  const names = /as t \(([^)]*)\)/.exec(text)?.[1]?.split(', ') ?? []
  const columns = parameters.map((parameter) => arrayValues(parameter as Buffer))
  const count = columns[0]?.length ?? 0
  return Array.from({ length: count }, (_, i) =>
    Object.fromEntries(names.map((name, column) => [name, columns[column]?.[i] ?? null])),
  )
}

function addUp(accounts: Map<number, Row>, row: Row): void {
  const user = Number(row['user_id'])
  const known = accounts.get(user)
  if (known === undefined) {
    accounts.set(user, { ...row, status: row['status'] ?? 'active' })
    return
  }
  for (const name of SUMS) known[name] = Number(known[name]) + Number(row[name])
  known['opened_at'] = row['opened_at'] ?? known['opened_at']
}

function draw(hold: Row | undefined, { amount }: Row): void {
  if (hold !== undefined) hold['remaining'] = Number(hold['remaining']) + Number(amount)
}

/** The token and the relay of a hold from an earlier batch are in its row. */
function expire({ holds, expiredHolds }: BalanceTables, row: Row): void {
  const hold = String(row['hold'])
  if (expiredHolds.has(hold)) throw new TypeError(`hold ${hold} expired twice`)
  const { token_id, relay } = holds.get(hold) ?? row
  if (relay === null) throw new TypeError(`hold ${hold} expired without a relay`)
  expiredHolds.set(hold, { ...row, token_id, relay })
}
