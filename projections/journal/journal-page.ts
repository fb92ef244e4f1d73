import { type CommonQueryMethods, sql } from 'slonik'
import { type JournalFilter, journalWhere } from './journal-filter.ts'
import { type PostingRow, postingRow } from './projector.ts'

/** Where a page of the journal begins: below this posting. */
export interface JournalPlace {
  readonly position: number
  readonly line: number
}

/** Up to `limit` postings below a place (null = the newest), newest first. */
export function postingsBelow(
  reads: CommonQueryMethods,
  filter: JournalFilter,
  below: JournalPlace | null,
  limit: number,
): Promise<readonly PostingRow[]> {
  const isBelow =
    below &&
    sql.fragment`position <= ${below.position}
      and (position < ${below.position} or line < ${below.line})`
  return reads.any(sql.type(postingRow)`
    select * from journal.postings where ${sql.and([journalWhere(filter), isBelow])}
    order by position desc, line desc limit ${limit}`)
}

/** A place as a cursor in an address: `12045:1`. */
export const cursorOf = ({ position, line }: JournalPlace): string => `${position}:${line}`

/** Null for a text that is no cursor. */
export function placeOf(cursor: string): JournalPlace | null {
  const [, position, line] = /^(\d{1,15}):(\d{1,4})$/.exec(cursor) ?? []
  return position === undefined ? null : { position: Number(position), line: Number(line) }
}

/** Positions of the events that post a request's charge and refunds. */
export const positionsOfRequest = (
  reads: CommonQueryMethods,
  requestId: string,
): Promise<readonly number[]> =>
  reads.anyFirst(sql.type(postingRow.pick({ position: true }))`
    select distinct position from journal.postings
    where request_id = ${requestId} and request_id <> '' order by position limit 100`)
