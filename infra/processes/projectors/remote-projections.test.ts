import { readModels } from '@tollgate/projections/read-models.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { openProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { remoteProjections } from './remote-projections.ts'
import { systemClock } from '../runtime.ts'

test('given a database without read models, when a reading process starts, then it says so and waits', async () => {
  const log = await openProjectionLog()
  const said: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line) => void said.push(line) })
  const remote = remoteProjections(log.pool, systemClock, logger)
  let hasStarted = false
  const starting = remote.start().then(() => (hasStarted = true))
  await until('it says what it waits for', () => said.length > 0)
  expect(said.join('')).toContain('waiting for a projector')
  expect(hasStarted).toBe(false)
  await log.project(readModels)
  await starting
  expect(remote.status().projectors).toHaveLength(readModels.length)
  expect(said).toHaveLength(1)
  await remote.stop()
  await log.close()
})
