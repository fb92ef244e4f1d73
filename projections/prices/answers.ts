import { z } from 'zod'
import { distinctIds, type Names } from '../http/names.ts'
import type { RevisionRow } from './queries.ts'

/** One price that a revision changes; decimal texts, null = no entry. `name` is a model or group, '' for QuotaPerUnit. */
export const priceEntry = z.strictObject({
  key: z.string(),
  name: z.string(),
  from: z.string().nullable(),
  to: z.string().nullable(),
})

/** A revision of prices as answers carry it. Times in unix milliseconds. */
export const revisionAnswer = z.strictObject({
  /** Position of its event, as charges name it; −1 = the defaults. */
  revision: z.int(),
  number: z.int(),
  status: z.enum(['planned', 'in-force', 'past', 'withdrawn']),
  /** When it was saved; null for the defaults. */
  at: z.int().nullable(),
  effective_at: z.int().nullable(),
  /** From when to when it was in force; null while it is not, or is. */
  in_force_at: z.int().nullable(),
  until: z.int().nullable(),
  withdrawn_at: z.int().nullable(),
  withdrawn_by_name: z.string(),
  /** The user who saved it; null = Tollgate itself. */
  user_id: z.int().nullable(),
  username: z.string(),
  note: z.string(),
  keys: z.array(z.string()),
  /** How many prices it changes. */
  entries: z.int(),
  /** Charges that were priced by it, and their sum. */
  charges: z.int(),
  quota: z.int(),
})
type RevisionEntity = z.infer<typeof revisionAnswer>

const userOf = (actor: string | null): number | null => {
  const [, id] = /^user:(\d{1,15})$/.exec(actor ?? '') ?? []
  return id === undefined ? null : Number(id)
}

/** Rows with the names of those who made them, and their words. */
export async function tellRevisions(
  names: Names,
  rows: readonly RevisionRow[],
): Promise<readonly RevisionEntity[]> {
  const ids = rows.flatMap((row) => [userOf(row.actor) ?? 0, userOf(row.withdrawn_by) ?? 0])
  const [users, notes] = await Promise.all([
    names.users(distinctIds(ids)),
    names.notes(rows.flatMap(({ note }) => note ?? [])),
  ])
  return rows.map((row) => {
    const user = userOf(row.actor)
    return {
      revision: row.revision,
      number: row.number,
      status: statusOf(row),
      at: row.at,
      effective_at: row.effective_at,
      in_force_at: row.in_force_at,
      until: row.until,
      withdrawn_at: row.withdrawn_at,
      withdrawn_by_name: users.get(userOf(row.withdrawn_by) ?? 0) ?? '',
      user_id: user,
      username: users.get(user ?? 0) ?? '',
      note: row.note === null ? '' : (notes.get(row.note) ?? ''),
      keys: [...row.keys],
      entries: row.entries,
      charges: row.charges,
      quota: row.quota,
    }
  })
}

function statusOf({
  is_in_force: isInForce,
  in_force_at: inForceAt,
  withdrawn_at: withdrawnAt,
}: RevisionRow): RevisionEntity['status'] {
  if (isInForce) return 'in-force'
  if (inForceAt !== null) return 'past'
  return withdrawnAt === null ? 'planned' : 'withdrawn'
}

/** For the API reference. */
export const EXAMPLE_REVISION: RevisionEntity = {
  revision: 812,
  number: 14,
  status: 'in-force',
  at: Date.UTC(2026, 1, 3, 12),
  effective_at: Date.UTC(2026, 2, 1),
  in_force_at: Date.UTC(2026, 2, 1),
  until: null,
  withdrawn_at: null,
  withdrawn_by_name: '',
  user_id: 1,
  username: 'root',
  note: 'new prices of the provider',
  keys: ['ModelRatio'],
  entries: 2,
  charges: 4_120,
  quota: 1_250_000,
}
export const EXAMPLE_ENTRY = { key: 'ModelRatio', name: 'gpt-4o', from: '1.25', to: '1.5' }
