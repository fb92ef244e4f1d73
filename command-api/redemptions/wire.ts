import { redemptionEntity } from '@tollgate/domain/ports/redemption-entity.ts'
import { z } from 'zod'

/** The redemption object as the API reference shows it. */
export const codeAnswer = z.object({
  id: z.int(),
  user_id: z.int(),
  key: z.string(),
  status: z.union([z.literal(1), z.literal(2), z.literal(3)]),
  name: z.string(),
  quota: z.int(),
  created_time: z.int(),
  redeemed_time: z.int(),
  count: z.int(),
  used_user_id: z.int(),
  DeletedAt: z.null(),
})

/** A code of the API reference. */
export const EXAMPLE_KEY = '1f0c2a9be64d4c7c8b1f3f5a7d9e2b40'

/** Its object. */
export const EXAMPLE_CODE = redemptionEntity({
  id: 5,
  creator: 1,
  name: 'spring',
  code: EXAMPLE_KEY,
  status: 'unused',
  quota: 100_000,
  issuedAtMs: Date.UTC(2026, 0, 1),
  use: null,
})
