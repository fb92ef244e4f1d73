import { z } from 'zod'
import { EMPTY_USER, type UserEntity } from './user-entity.ts'

/** The user object as answers carry it. */
export const userAnswer = z.strictObject({
  id: z.int(),
  username: z.string(),
  password: z.literal(''),
  original_password: z.literal(''),
  display_name: z.string(),
  role: z.literal([0, 1, 10, 100]),
  status: z.literal([0, 1, 2]),
  email: z.string(),
  github_id: z.string(),
  oidc_id: z.string(),
  wechat_id: z.string(),
  telegram_id: z.string(),
  linux_do_id: z.string(),
  verification_code: z.literal(''),
  access_token: z.string().nullable(),
  quota: z.int(),
  held: z.int(),
  used_quota: z.int(),
  request_count: z.int(),
  group: z.string(),
  aff_code: z.string(),
  aff_count: z.int(),
  aff_quota: z.int(),
  aff_history_quota: z.int(),
  inviter_id: z.int(),
  setting: z.string(),
  DeletedAt: z.string().nullable(),
}) satisfies z.ZodType<UserEntity>

/** For the API reference. */
export const EXAMPLE_USER: UserEntity = {
  ...EMPTY_USER,
  id: 7,
  username: 'ann',
  display_name: 'Ann',
  role: 1,
  status: 1,
  quota: 500_000,
  held: 2_000,
  used_quota: 125_000,
  request_count: 42,
  group: 'default',
  aff_code: 'a1B2',
}

/** The example of a user in the answer of a sign-in. */
export const EXAMPLE_SIGNED_IN: UserEntity = {
  ...EMPTY_USER,
  id: 7,
  username: 'ann',
  display_name: 'Ann',
  role: 1,
  status: 1,
  group: 'default',
}
