import type pg from 'pg'
import type { JournalFilter } from './journal-filter.ts'
import { journalSql } from './journal-filter.ts'
import type { PostingRow } from './projector.ts'

/** A pool, or a connection inside a transaction. */
type Queryable = Pick<pg.Pool | pg.PoolClient, 'query'>

/** Where a page of the journal begins: below this posting. */
export interface JournalPlace {
  readonly position: number
  readonly line: number
}

/** Up to `limit` postings below a place (null = the newest), newest first. */
export async function postingsBelow(
  client: Queryable,
  filter: JournalFilter,
  below: JournalPlace | null,
  limit: number,
): Promise<readonly PostingRow[]> {
  const { where, values } = journalSql(filter)
  const next = values.length + 1
  const place =
    below === null
      ? ''
      : `and position <= $${next + 1} and (position < $${next + 1} or line < $${next + 2})`
  const { rows } = await client.query<PostingRow>(
    `select * from journal.postings where ${where} ${place}
     order by position desc, line desc limit $${next}`,
    [...values, limit, ...(below === null ? [] : [below.position, below.line])],
  )
  return rows
}

/** A place as a cursor in an address: `12045:1`. */
export const cursorOf = ({ position, line }: JournalPlace): string => `${position}:${line}`

/** Null for a text that is no cursor. */
export function placeOf(cursor: string): JournalPlace | null {
  const [, position, line] = /^(\d{1,15}):(\d{1,4})$/.exec(cursor) ?? []
  return position === undefined ? null : { position: Number(position), line: Number(line) }
}

/** Positions of the events that post a request's charge and refunds. */
export async function positionsOfRequest(
  client: Queryable,
  requestId: string,
): Promise<readonly number[]> {
  const { rows } = await client.query<{ position: number }>(
    `select distinct position from journal.postings
     where request_id = $1 and request_id <> '' order by position limit 100`,
    [requestId],
  )
  return rows.map(({ position }) => position)
}
