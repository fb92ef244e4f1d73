import type { ChannelTested } from '@tollgate/domain/channel/events.ts'
import { channelStream } from '@tollgate/domain/event.ts'
import type { TestOfChannel } from '@tollgate/domain/ports/channel-telemetry.ts'
import type { ModelTables } from '../runner/model-tables.ts'
import type { Recorded } from '../runner/projected-events.ts'

/** Above every position of a log, so that rows of tests and of events have ids of their own. */
export const TEST_IDS_FROM = 2 ** 52
const PAGE_ROWS = 1_000

/** The id of a test's row in the usage log, by the test's number in the source table. */
export const idOfTest = (number: number): number => TEST_IDS_FROM + number

/** A test of the source table as the event that it would have been; `number` is its id there. */
export const asEvent = (
  number: number,
  { id, channel, test }: Omit<TestOfChannel, 'isLogged'>,
): Recorded<ChannelTested> => ({
  id,
  type: 'ChannelTested',
  stream: channelStream(channel),
  revision: 0,
  position: idOfTest(number),
  data: test,
  metadata: { actor: 'system' },
})

/** The tests that the usage log has rows of, by id. */
export const LOGGED_TESTS = `
  select id, test_id, channel_id, at, model, succeeded, duration_ms, error, prompt_tokens, completion_tokens, tested_by
  from telemetry.channel_tests where is_logged`

/** A row of LOGGED_TESTS. */
export interface LoggedTest {
  readonly id: number
  readonly test_id: string
  readonly channel_id: number
  readonly at: number
  readonly model: string
  readonly succeeded: boolean
  readonly duration_ms: number
  readonly error: string
  readonly prompt_tokens: number | null
  readonly completion_tokens: number | null
  readonly tested_by: number | null
}

export const eventOfTest = (row: LoggedTest): Recorded<ChannelTested> =>
  asEvent(row.id, {
    id: row.test_id,
    channel: row.channel_id,
    test: {
      at: row.at,
      model: row.model,
      succeeded: row.succeeded,
      durationMs: row.duration_ms,
      error: row.error,
      promptTokens: row.prompt_tokens,
      completionTokens: row.completion_tokens,
      testedBy: row.tested_by,
    },
  })

/** The same in pages, oldest first. */
export async function* loggedTests(
  tx: ModelTables,
): AsyncGenerator<readonly LoggedTest[], void, undefined> {
  for (let after = 0; ;) {
    const rows = await tx.query<LoggedTest>(
      `${LOGGED_TESTS} and id > $1 order by id limit ${PAGE_ROWS}`,
      [after],
    )
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    after = last.id
  }
}
