import { z } from 'zod'

/** An audit under way or ended, as it goes over the wire (jobs.ts); the contents of `result` depend on its kind. */
export const auditJobAnswer = z.strictObject({
  id: z.string(),
  kind: z.enum(['verify', 'reconcile']),
  status: z.enum(['running', 'done', 'failed']),
  started_at: z.int(),
  ended_at: z.int().nullable(),
  progress: z.strictObject({ events: z.int(), position: z.int(), head: z.int() }).nullable(),
  result: z.record(z.string(), z.unknown()).nullable(),
  problem: z.string().nullable(),
})

/** For the API reference, as those below. */
export const EXAMPLE_HEAD = {
  position: 1_204,
  seal: 3,
  root: '9c2e4d8f1a7b3c6e5d0f8a9b2c4e6d7f1a3b5c7e9d0f2a4b6c8e0d1f3a5b7c9d',
  hash: '1f3a5b7c9d0e2f4a6b8c0d2e4f6a8b0c1d3e5f7a9b1c3d5e7f9a1b3c5d7e9f0a',
  at: '2026-02-03T12:00:00.000Z',
} as const

export const EXAMPLE_JOB = {
  id: '0b9d5a3e-6f0c-4a57-9d1e-2f6f3f1c8a70',
  kind: 'verify',
  status: 'running',
  started_at: Date.UTC(2026, 1, 3, 12),
  ended_at: null,
  progress: { events: 600, position: 600, head: 1_204 },
  result: null,
  problem: null,
} as const
