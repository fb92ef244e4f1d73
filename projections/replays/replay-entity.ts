import { z } from 'zod'
import { type Replay, REPLAY_PROBLEMS } from './replay-table.ts'
import { definitionEntity } from './request-body.ts'
import { rowsMost } from './run-replay.ts'

/** A replay as answers carry it. Times in unix milliseconds. */
export const replayAnswer = z.strictObject({
  id: z.string(),
  owner: z.int(),
  owner_name: z.string(),
  name: z.string(),
  ...definitionEntity,
  status: z.enum(['queued', 'running', 'done', 'failed', 'cancelled']),
  created_at: z.int(),
  started_at: z.int().nullable(),
  ended_at: z.int().nullable(),
  position: z.int(),
  log_start: z.int(),
  log_end: z.int().nullable(),
  /** Positions of the log read so far, and those that the whole run reads; skipped ones count in neither. */
  positions_read: z.int(),
  positions_to_read: z.int().nullable(),
  charges: z.int(),
  /** Quota of these charges: as charged, and at the replay's prices. */
  quota: z.int(),
  repriced: z.int(),
  rows: z.int(),
  book_revision: z.int().nullable(),
  /** Milliseconds until the end, at the pace so far, or of the last replay before it runs; null when not known. */
  remaining_ms: z.int().nullable(),
  problem: z.string().nullable(),
  /** Null where it did not fail, and for failures of older versions. */
  problem_code: z.enum(REPLAY_PROBLEMS).nullable(),
  /** Rows that it may come to: with more, it fails as `too-many-rows`. */
  rows_max: z.int(),
})
export type ReplayEntity = z.infer<typeof replayAnswer>

export interface Pace {
  readonly now: number
  /** How many positions the last replay to end read in a millisecond; null when there is none. */
  readonly positionsPerMs: number | null
  /** How many positions a replay that has not begun will read. */
  readonly expectedPositions: number
}

export const replayEntity = (replay: Replay, ownerName: string, pace: Pace): ReplayEntity => ({
  id: replay.id,
  owner: replay.owner,
  owner_name: ownerName,
  name: replay.name,
  ...replay.definition,
  by: [...replay.definition.by],
  filters: replay.definition.filters as ReplayEntity['filters'],
  prices: replay.definition.prices,
  status: replay.status,
  created_at: replay.createdAt,
  started_at: replay.startedAt,
  ended_at: replay.endedAt,
  position: replay.position,
  log_start: replay.logStart,
  log_end: replay.logEnd,
  positions_read: replay.positionsRead,
  positions_to_read: replay.positionsToRead,
  charges: replay.charges,
  quota: replay.quota,
  repriced: replay.repriced,
  rows: replay.rowCount,
  book_revision: replay.bookRevision,
  remaining_ms: remainingMs(replay, pace),
  problem: replay.problem,
  problem_code: replay.problemCode,
  rows_max: rowsMost(replay.definition.filters),
})

function remainingMs(replay: Replay, pace: Pace): number | null {
  const { status, startedAt, positionsRead, positionsToRead } = replay
  const { now, positionsPerMs, expectedPositions } = pace
  if (status !== 'queued' && status !== 'running') return null
  const left = (positionsToRead ?? expectedPositions) - positionsRead
  const elapsed = startedAt === null ? 0 : now - startedAt
  const own = elapsed > 0 && positionsRead > 0 ? positionsRead / elapsed : null
  const rate = own ?? positionsPerMs
  return rate === null ? null : Math.ceil(left / rate)
}

/** For the API reference. */
export const EXAMPLE_REPLAY: ReplayEntity = {
  id: '6f0c5a3e-0b9d-4a57-9d1e-2f6f3f1c8a71',
  owner: 1,
  owner_name: 'root',
  name: 'January at the prices of March',
  from: Date.UTC(2026, 0, 1),
  to: Date.UTC(2026, 1, 1),
  filters: { models: ['gpt-4o'] },
  prices: { options: { ModelRatio: '{"gpt-4o":1.5}' } },
  bucket: 'day',
  zone: 'Asia/Shanghai',
  by: ['model', 'user'],
  status: 'running',
  created_at: Date.UTC(2026, 1, 3, 12),
  started_at: Date.UTC(2026, 1, 3, 12),
  ended_at: null,
  position: 600_000,
  log_start: -1,
  log_end: 1_204_000,
  positions_read: 600_001,
  positions_to_read: 1_000_001,
  charges: 180_000,
  quota: 54_200_000,
  repriced: 61_800_000,
  rows: 420,
  book_revision: 1_102,
  remaining_ms: 4_000,
  problem: null,
  problem_code: null,
  rows_max: 2_000_000,
}

export const EXAMPLE_ITEM = {
  bucket: Date.UTC(2026, 0, 1),
  key: 'gpt-4o',
  key2: '',
  name: 'gpt-4o',
  name2: '',
  requests: 412,
  failures: 3,
  quota: 125_000,
  repriced: 150_000,
  unpriced: 0,
  exact: '124987.5',
  exact_repriced: '149985',
  prompt_tokens: 60_000,
  completion_tokens: 9_000,
  cached_tokens: 1_000,
  cache_write_tokens: 0,
  latency_ms: { p50: 1_023, p95: 4_095, p99: 8_191 },
  first_byte_ms: null,
} as const
