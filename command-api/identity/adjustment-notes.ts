import type { Pool } from 'pg'
import { type NoteId, noteId } from '@tollgate/domain/ids.ts'

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
export const adjustmentNotes = (pool: Pool): AdjustmentNotes => ({
  async keep(user, words) {
    const { rows } = await pool.query<{ id: string }>(
      'insert into identity.adjustment_notes (user_id, words) values ($1, $2) returning id',
      [user, words],
    )
    const [row] = rows
    if (row === undefined) throw new Error('a note was stored without an id')
    return noteId(row.id)
  },
  async remove(id) {
    await pool.query('delete from identity.adjustment_notes where id = $1', [id])
  },
  async forget(user) {
    await pool.query('delete from identity.adjustment_notes where user_id = $1', [user])
  },
  async byIds(ids) {
    if (ids.length === 0) return new Map()
    const { rows } = await pool.query<{ id: string; words: string }>(
      'select id, words from identity.adjustment_notes where id = any($1::uuid[])',
      [[...ids]],
    )
    return new Map(rows.map(({ id, words }) => [id, words]))
  },
})
