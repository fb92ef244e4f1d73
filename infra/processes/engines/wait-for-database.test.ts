import { pino } from 'pino'
import { expect, test } from 'vitest'
import { waitForDatabase } from './wait-for-database.ts'

const URL_OF_TESTS = 'postgres://tollgate:secret@127.0.0.1:5432/tollgate'
const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
const logger = pino({ level: 'silent' })

test('given a server that comes up, when a process starts, then it waits and begins', async () => {
  let attempts = 0
  const work = (): Promise<void> => (++attempts < 3 ? Promise.reject(refused) : Promise.resolve())
  const clock = { now: () => 0, monotonicMs: () => 0, sleep: () => Promise.resolve() }
  await waitForDatabase(URL_OF_TESTS, work, { clock, logger })
  expect(attempts).toBe(3)
})

test('given a server that does not come, when a minute has passed, then it is told without the password', async () => {
  let now = 0
  const clock = {
    now: () => now,
    monotonicMs: () => now,
    sleep: async (ms: number) => void (now += ms),
  }
  const waiting = waitForDatabase(URL_OF_TESTS, () => Promise.reject(refused), { clock, logger })
  await expect(waiting).rejects.toThrow(
    'PostgreSQL at 127.0.0.1:5432 does not answer (connect ECONNREFUSED). Start it, or correct DATABASE_URL.',
  )
})

test('given a mistake that waiting does not mend, when a process starts, then it is told at once', async () => {
  const clock = { now: () => 0, monotonicMs: () => 0, sleep: () => expect.unreachable('waited') }
  const wrong = Object.assign(new Error('password authentication failed'), { code: '28P01' })
  await expect(
    waitForDatabase(URL_OF_TESTS, () => Promise.reject(wrong), { clock, logger }),
  ).rejects.toThrow(
    'PostgreSQL at 127.0.0.1:5432 does not let Tollgate in (password authentication failed). Correct user, password and database in DATABASE_URL, or make them there.',
  )
})

test('given a process that waits, when it is told to stop, then it does not wait on', async () => {
  const stopping = new AbortController()
  const clock = { now: () => 0, monotonicMs: () => 0, sleep: async () => stopping.abort('enough') }
  await expect(
    waitForDatabase(URL_OF_TESTS, () => Promise.reject(refused), {
      clock,
      logger,
      stopping: stopping.signal,
    }),
  ).rejects.toBe('enough')
})
