import { randomHistory } from '@tollgate/tests/support/histories/ledger-history.ts'
import { askRoute } from '@tollgate/tests/support/ask-route.ts'
import {
  openProjectionLog,
  type ProjectionLog,
  testClock,
} from '@tollgate/tests/support/projection-log.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { channelTelemetry } from '../channels/telemetry.ts'
import { readModels } from '../read-models.ts'
import { logPage } from './queries.ts'
import { CONSUMPTION } from './row.ts'
import { trafficRoute } from './traffic-route.ts'

let log: ProjectionLog
beforeEach(async () => {
  log = await openProjectionLog()
})
afterEach(() => log.close())

test('given tests of channels among charged requests, when traffic is read, then only the charged count', async () => {
  for (const { stream, event } of randomHistory({ seed: 21, steps: 300 }).events)
    await log.append(stream, event)
  await log.project(readModels)
  const { rows } = await logPage(log.reads, { type: CONSUMPTION }, 1, 1_000)
  const newest = Math.max(...rows.map((row) => row.created_at)) * 1_000
  const traffic = async () => {
    const routes = [trafficRoute({ reads: log.reads, clock: { ...testClock, now: () => newest } })]
    return askRoute(routes, '/api/channel/traffic', null)
  }
  const before = await traffic()
  expect(before).not.toMatchObject({ data: { requests: 0 } })
  for (let number = 1; number <= 3; number += 1) {
    await channelTelemetry(log.pool).recordTest({
      id: `0b0e5f0c-7f0e-4f0a-9d3c-00000000000${number}`,
      channel: number,
      isLogged: true,
      test: {
        at: newest - number,
        model: 'gpt-4o',
        succeeded: true,
        durationMs: 1_600,
        error: '',
        promptTokens: 8,
        completionTokens: 2,
        testedBy: 1,
      },
    })
  }
  await log.project(readModels)
  const logged = await logPage(log.reads, { type: CONSUMPTION }, 1, 1_000)
  expect(logged.total).toBe(rows.length + 3)
  expect(await traffic()).toEqual(before)
})
