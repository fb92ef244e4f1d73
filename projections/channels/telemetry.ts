import type { ChannelTelemetry, TestOfChannel } from '@tollgate/domain/ports/channel-telemetry.ts'
import type pg from 'pg'
import { changeSource } from '../runner/checkpoints.ts'
import { asEvent } from '../usage-log/channel-tests.ts'
import { addRows, usageLog } from '../usage-log/projector.ts'
import { rowOf } from '../usage-log/row.ts'
import { DEFAULTS } from '../usage-log/settings.ts'

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
