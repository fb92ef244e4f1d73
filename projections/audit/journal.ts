import { accountStream, LOG_START, numberOfStream, type Position } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { isSetAside } from '@tollgate/domain/set-aside/events.ts'
import type { Recorded } from '../runner/projected-events.ts'
import { addChecksum, checksumOf, checksumSql } from './checksum.ts'
import {
  JOURNAL_COLUMNS,
  type JournalRow,
  journalRows,
  type JournalState,
  unopenedJournal,
} from './journal-rows.ts'
import { compareJournalSums } from './journal-sums.ts'
import { ownEvents } from './own-events.ts'
import {
  type Comparison,
  compareTable,
  type Figure,
  type ExpectedModel,
  WHOLE_ROW,
} from './expected-model.ts'

interface ExpectedJournal {
  readonly state: JournalState
  rows: number
  checksum: number
}

/** So many users' rows are looked through one by one when their sums differ; more would only repeat what is known. */
const USERS_IN_DETAIL_MAX = 20

/**
 * The journal's rows with their running balances. Millions of rows are compared by count and checksum of each user's;
 * where those differ, the user's rows are compared with the user's stream one by one. The sums are compared with the rows.
 */
export function expectJournal(store: Pick<EventStore, 'readStream'>): ExpectedModel {
  const users = new Map<number, ExpectedJournal>()
  let upTo: Position = LOG_START

  function take(event: Recorded): void {
    upTo = event.position
    if (!event.stream.startsWith('account-')) return
    const user = numberOfStream(event.stream)
    const expected = users.get(user) ?? {
      state: unopenedJournal(),
      rows: 0,
      checksum: 0,
    }
    users.set(user, expected)
    for (const row of journalRows(event, expected.state)) {
      expected.rows += 1
      expected.checksum = addChecksum(
        expected.checksum,
        checksumOf(JOURNAL_COLUMNS.map((column) => row[column])),
      )
    }
  }

  async function compare(comparison: Comparison): Promise<void> {
    const posted = new Map([...users].filter(([, { rows }]) => rows > 0))
    await compareTable(comparison, 'balances', {
      rows: comparison.rows<{ user_id: number }>('select * from journal.balances'),
      expected: new Map([...posted].map(([user, { state }]) => [`user ${user}`, { ...state.own }])),
      keyOf: (row) => `user ${row.user_id}`,
    })
    await compareTable(comparison, 'moments', {
      rows: comparison.rows<{ user_id: number }>('select * from journal.moments'),
      expected: new Map(
        [...users].map(([user, { state }]) => [
          `user ${user}`,
          { effective_at: state.effectiveAt },
        ]),
      ),
      keyOf: (row) => `user ${row.user_id}`,
    })
    const differing = await usersThatDiffer(comparison)
    for (const user of differing.slice(0, USERS_IN_DETAIL_MAX)) {
      await compareRows(comparison, store, user, upTo)
    }
    // Sums are checked against the postings, so wrong postings would only blame them.
    if (differing.length === 0) await compareJournalSums(comparison)
  }

  /** Counts rows and adds up their checksums for each user; notes a difference for users beyond the detailed ones. */
  async function usersThatDiffer(comparison: Comparison): Promise<readonly number[]> {
    const differing: number[] = []
    const left = new Map([...users].filter(([, { rows }]) => rows > 0))
    const sql = `select user_id, count(*) as rows, ${checksumSql(JOURNAL_COLUMNS)} as checksum
      from journal.postings group by user_id order by user_id`
    for await (const found of comparison.rows<Sums>(sql)) {
      comparison.looked(found.rows)
      const wanted = left.get(found.user_id)
      left.delete(found.user_id)
      if (wanted?.rows === found.rows && wanted.checksum === found.checksum) continue
      differing.push(found.user_id)
      if (differing.length > USERS_IN_DETAIL_MAX) noteSums(comparison, found.user_id, wanted, found)
    }
    return [...differing, ...left.keys()]
  }

  return {
    model: 'journal',
    tables: ['postings', 'balances', 'moments', 'hours', 'source_days', 'days', 'totals'],
    take,
    compare,
  }
}

interface Sums {
  readonly user_id: number
  readonly rows: number
  readonly checksum: number
}

function noteSums(
  comparison: Comparison,
  user: number,
  wanted: ExpectedJournal | undefined,
  found: Sums,
): void {
  const key = `all rows of user ${user}`
  if (wanted?.rows !== found.rows) {
    comparison.differs({
      table: 'postings',
      key,
      column: 'count',
      ledger: wanted?.rows ?? 0,
      found: found.rows,
    })
  } else {
    comparison.differs({
      table: 'postings',
      key,
      column: 'checksum',
      ledger: wanted.checksum,
      found: found.checksum,
    })
  }
}

/** Both are in the order of the log: each row is held against the next one expected. */
async function compareRows(
  comparison: Comparison,
  store: Pick<EventStore, 'readStream'>,
  user: number,
  upTo: Position,
): Promise<void> {
  const expected = expectedRows(store, user, upTo)
  let wanted = await expected.next()
  const sql = `select ${JOURNAL_COLUMNS.join(', ')} from journal.postings
    where user_id = ${user} order by position, line`
  for await (const found of comparison.rows<JournalRow>(sql)) {
    while (wanted.done !== true && isBefore(wanted.value, found)) {
      comparison.differs({
        table: 'postings',
        key: keyOf(wanted.value),
        column: WHOLE_ROW,
        ledger: 'there',
        found: 'none',
      })
      wanted = await expected.next()
    }
    if (wanted.done === true || isBefore(found, wanted.value)) {
      comparison.differs({
        table: 'postings',
        key: keyOf(found),
        column: WHOLE_ROW,
        ledger: 'none',
        found: 'there',
      })
      continue
    }
    for (const column of JOURNAL_COLUMNS) {
      const [ledger, there]: [Figure, Figure] = [wanted.value[column], found[column]]
      if (ledger !== there)
        comparison.differs({ table: 'postings', key: keyOf(found), column, ledger, found: there })
    }
    wanted = await expected.next()
  }
  for (; wanted.done !== true; wanted = await expected.next()) {
    comparison.differs({
      table: 'postings',
      key: keyOf(wanted.value),
      column: WHOLE_ROW,
      ledger: 'there',
      found: 'none',
    })
  }
}

async function* expectedRows(
  store: Pick<EventStore, 'readStream'>,
  user: number,
  upTo: Position,
): AsyncGenerator<JournalRow, void, undefined> {
  const state = unopenedJournal()
  for await (const event of ownEvents(store, accountStream(user))) {
    if (event.position > upTo) return
    if (!isSetAside(event)) yield* journalRows(event, state)
  }
}

type Place = Pick<JournalRow, 'position' | 'line'>
const isBefore = (a: Place, b: Place): boolean =>
  a.position < b.position || (a.position === b.position && a.line < b.line)
const keyOf = ({ position, line }: Place): string => `position ${position}, line ${line}`
