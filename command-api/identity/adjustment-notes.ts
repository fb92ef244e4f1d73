import { type NoteId, noteId } from '@tollgate/domain/ids.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { noRow } from '../statements.ts'

/** Administrators' own words on adjustments, which events call by id, so that they can be erased. */
export interface AdjustmentNotes {
  /** Stores words on a user's account; the event that names them follows. */
  keep(user: number, words: string): Promise<NoteId>
  /** Takes back words whose adjustment was refused. */
  remove(id: NoteId): Promise<void>
  /** Erases everything that was said of a user. */
  forget(user: number): Promise<void>
  /** Words by id; erased ones are left out. */
  byIds(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
}

/** Notes in `identity.adjustment_notes`. */
export const adjustmentNotes = (db: CommonQueryMethods): AdjustmentNotes => ({
  async keep(user, words) {
    const id = await db.oneFirst(sql.type(noteRow.pick({ id: true }))`
      insert into identity.adjustment_notes (user_id, words) values (${user}, ${words}) returning id`)
    return noteId(id)
  },
  async remove(id) {
    await db.query(sql.type(noRow)`delete from identity.adjustment_notes where id = ${id}`)
  },
  async forget(user) {
    await db.query(sql.type(noRow)`delete from identity.adjustment_notes where user_id = ${user}`)
  },
  async byIds(ids) {
    if (ids.length === 0) return new Map()
    const rows = await db.any(sql.type(noteRow)`
      select id, words from identity.adjustment_notes where id = any(${sql.array(ids, 'uuid')})`)
    return new Map(rows.map(({ id, words }) => [id, words]))
  },
})

const noteRow = z.object({ id: z.string(), words: z.string() })
