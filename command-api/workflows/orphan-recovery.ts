import type { RowRecovery } from './manager/workflow.ts'

/**
 * Rows of a table of `secrets`. A row is written before its event and means nothing until that event is in the log:
 * readers ask the stream, or the read model, whether the thing exists. So nothing is confirmed, and a crash in between
 * leaves an orphan: ciphertext without meaning.
 */
export interface InertRows {
  /** Rows written that long ago whose event has not been looked for since, oldest first, at most `limit`. */
  readonly unsettled: (olderThanSeconds: number, limit: number) => Promise<readonly number[]>
  /** The row's event is in the log: the row is not looked at again. */
  readonly settle: (id: number) => Promise<void>
  /** Forgets the row's secrets and keeps its name for the log. */
  readonly erase: (id: number) => Promise<void>
}

/** Twice as long as a request may come again and name the row it reserved (posted-requests.ts). */
export const ORPHAN_AGE_SECONDS = 172_800
/** Rows taken on by one search; the next finds the rest. */
const ROWS_AT_ONCE_MAX = 1_000

/** Rows that mean nothing without their event. */
export interface OrphanRows {
  readonly kind: string
  readonly table: string
  readonly rows: InertRows
  readonly isLive: (id: number) => Promise<boolean>
  readonly ageSeconds?: number | undefined
}

/** Removes orphans by age; `isLive` asks the log whether the thing of this id exists. */
export const orphanRecovery = ({
  kind,
  table,
  rows,
  isLive,
  ageSeconds = ORPHAN_AGE_SECONDS,
}: OrphanRows): RowRecovery => ({
  from: 'row',
  kind,
  find: async () => {
    const ids = await rows.unsettled(ageSeconds, ROWS_AT_ONCE_MAX)
    return ids.map((id) => `${table}/${id}`)
  },
  steps: (name) => {
    const id = Number(name.slice(table.length + 1))
    const act = async () => ((await isLive(id)) ? rows.settle(id) : rows.erase(id))
    return [{ name: 'forget the secrets of an orphan', act }]
  },
})
