import { z } from 'zod'
import type { NotedAttempt } from './row.ts'

/** A channel that was asked, and how that ended; what was not noted is null. */
export const ATTEMPT = z.strictObject({
  channel_id: z.int(),
  channel_name: z.string(),
  /** Unix milliseconds. */
  started_at: z.number().nullable(),
  ms: z.number().nullable(),
  /** Upstream's HTTP status. */
  status: z.int().nullable(),
  code: z.string().nullable(),
  /** Null for the one that answered. */
  why: z.string().nullable(),
})

/** The channels of `path` as answers have them. */
export const attemptsOf = (
  {
    path,
    attempts,
  }: { readonly path: readonly number[]; readonly attempts?: readonly NotedAttempt[] },
  channels: ReadonlyMap<number, string>,
): readonly z.infer<typeof ATTEMPT>[] =>
  path.map((id, index) => {
    const noted = attempts?.[index]
    return {
      channel_id: id,
      channel_name: channels.get(id) ?? '',
      started_at: noted?.startedAt ?? null,
      ms: noted?.ms ?? null,
      status: noted?.status ?? null,
      code: noted?.code ?? null,
      why: noted?.why ?? null,
    }
  })
