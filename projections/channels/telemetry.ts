import type { ChannelTelemetry, TestOfChannel } from '@tollgate/domain/ports/channel-telemetry.ts'
import type pg from 'pg'
import { changeSource } from '../runner/checkpoints.ts'
import { asEvent, idOfTest } from '../usage-log/channel-tests.ts'
import { addRows, removeTestRows, usageLog } from '../usage-log/projector.ts'
import { rowOf } from '../usage-log/row.ts'
import { DEFAULTS } from '../usage-log/settings.ts'

/** Looks are kept for so long. A channel that is tested every ten minutes has 13,000 of them by then. */
export const TELEMETRY_KEPT_MS = 90 * 86_400_000
/** Looks that are removed in one transaction; the log's days that they are in are counted anew. */
const REMOVED_AT_ONCE = 500

/** Keeps looks at channels in their source tables; a test gets its row in the usage log in the same transaction. */
export const channelTelemetry = (pool: pg.Pool): ChannelTelemetry => ({
  recordTest: (test) =>
    changeSource(pool, usageLog, async (client) => {
      const number = await insertTest(client, test)
      const row = number === null ? null : rowOf(asEvent(number, test), DEFAULTS)
      return (tables) => addRows(row === null || !test.isLogged ? [] : [row], tables)
    }),
  async recordBalance(channel, { at, balanceUsd }) {
    await pool.query(
      'insert into telemetry.channel_balances (channel_id, at, balance_usd) values ($1, $2, $3)',
      [channel, at, balanceUsd],
    )
  },
})

/** Forgets looks that are too old at a moment (unix milliseconds), but for the newest test and balance of each channel. */
export async function removeOldTelemetry(
  pool: pg.Pool,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const before = now - TELEMETRY_KEPT_MS
  for (const remove of [removeTests, removeBalances]) {
    let removed = REMOVED_AT_ONCE
    while (removed === REMOVED_AT_ONCE && !signal.aborted) removed = await remove(pool, before)
  }
}

/** Rows of the usage log go with the tests that they were made from, in all copies: a rebuild makes the same. */
async function removeTests(pool: pg.Pool, before: number): Promise<number> {
  let removed = 0
  await changeSource(pool, usageLog, async (client) => {
    const { rows } = await client.query<{ id: number; at: number; is_logged: boolean }>(
      `${deleteOld('channel_tests')} returning id, at, is_logged`,
      [before, REMOVED_AT_ONCE],
    )
    removed = rows.length
    const logged = rows.filter((row) => row.is_logged)
    return (tables) =>
      removeTestRows(
        logged.map(({ id, at }) => ({ id: idOfTest(id), createdAt: Math.floor(at / 1000) })),
        tables,
      )
  })
  return removed
}

async function removeBalances(pool: pg.Pool, before: number): Promise<number> {
  const { rowCount } = await pool.query(deleteOld('channel_balances'), [before, REMOVED_AT_ONCE])
  return rowCount ?? 0
}

/** Oldest first, and never the newest of a channel, which its list shows. */
const deleteOld = (table: 'channel_tests' | 'channel_balances'): string => `
  delete from telemetry.${table} where id in (
    select id from telemetry.${table} as old
    where at < $1 and exists (
      select 1 from telemetry.${table} as newer
      where newer.channel_id = old.channel_id and (newer.at, newer.id) > (old.at, old.id)
    )
    order by at limit $2
  )`

/** Its number; null when it was recorded before. */
async function insertTest(
  client: pg.PoolClient,
  { id, channel, test, isLogged }: TestOfChannel,
): Promise<number | null> {
  const { rows } = await client.query<{ id: number }>(
    `insert into telemetry.channel_tests (test_id, channel_id, at, model, succeeded, duration_ms, error,
       prompt_tokens, completion_tokens, tested_by, is_logged)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (test_id) do nothing returning id`,
    [
      id,
      channel,
      test.at,
      test.model,
      test.succeeded,
      test.durationMs,
      test.error,
      test.promptTokens,
      test.completionTokens,
      test.testedBy,
      isLogged,
    ],
  )
  return rows[0]?.id ?? null
}
