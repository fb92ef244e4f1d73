import { z } from 'zod'
import type { LogEntity } from './entity.ts'

/** A log row as answers carry it. */
export const logAnswer = z.strictObject({
  id: z.int(),
  user_id: z.int(),
  created_at: z.int(),
  type: z.int(),
  content: z.string(),
  username: z.string(),
  token_name: z.string(),
  model_name: z.string(),
  quota: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  use_time: z.int(),
  is_stream: z.boolean(),
  channel: z.int(),
  channel_name: z.string(),
  token_id: z.int(),
  group: z.string(),
  retry: z.string(),
  other: z.string(),
  request_id: z.string(),
  event_id: z.string(),
}) satisfies z.ZodType<LogEntity>

export const statisticsAnswer = z.strictObject({
  quota: z.int(),
  token: z.int(),
  rpm: z.int(),
  tpm: z.int(),
  failed: z.int(),
})

/** For the API reference, as those below. */
export const EXAMPLE_LOG: LogEntity = {
  id: 812,
  user_id: 7,
  created_at: 1_770_120_000,
  type: 2,
  content: '模型倍率 0.07，补全倍率 4.00，分组倍率 1.00',
  username: 'ann',
  token_name: 'notebook',
  model_name: 'gpt-4o-mini',
  quota: 135,
  prompt_tokens: 1_000,
  completion_tokens: 200,
  use_time: 2,
  is_stream: true,
  channel: 3,
  channel_name: 'OpenAI',
  token_id: 12,
  group: 'default',
  retry: '3',
  other: '{"model_ratio":0.075,"group_ratio":1,"completion_ratio":4,"model_price":-1,"frt":310}',
  request_id: '20260203120000123456789aB3dE5fG',
  event_id: '0b9d5a3e-6f0c-4a57-9d1e-2f6f3f1c8a70',
}

export const EXAMPLE_QUERY = {
  type: '2',
  model_name: 'gpt-4o%',
  start_timestamp: '1770033600',
  end_timestamp: '1770120000',
} as const

export const EXAMPLE_STATISTICS: z.output<typeof statisticsAnswer> = {
  quota: 125_000,
  token: 60_000,
  rpm: 3,
  tpm: 3_600,
  failed: 2,
}
