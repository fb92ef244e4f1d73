import { userId } from '@tollgate/domain/ids.ts'
import { ManualClock } from '@tollgate/tests/support/manual-clock.ts'
import { expect, test } from 'vitest'
import { ModelRateLimiter } from './model-rate-limit.ts'

const user = userId(7)
const settings = {
  windowMs: 60_000,
  windowMinutes: 1,
  total: 3,
  successes: 2,
  groups: new Map<string, readonly [number, number]>(),
}

/** Two relays that tell each other what they count when the test says so. */
function relays() {
  const clock = new ManualClock()
  const one = new ModelRateLimiter(clock)
  const other = new ModelRateLimiter(clock)
  const exchange = (): void => {
    const [ofOne, ofOther] = [one.takeUntold(), other.takeUntold()]
    one.hear(ofOther, settings)
    other.hear(ofOne, settings)
  }
  exchange()
  return { clock, one, other, exchange }
}

test('given two relays, when they have told each other, then they let through together what the limit says', () => {
  const { one, other, exchange } = relays()
  expect(one.admit(user, 'default', settings)).toBeNull()
  expect(other.admit(user, 'default', settings)).toBeNull()
  exchange()
  expect(one.admit(user, 'default', settings)).toBeNull()
  exchange()
  for (const relay of [one, other]) {
    expect(relay.admit(user, 'default', settings)).toMatchObject({ status: 429 })
  }
  expect(one.admit(userId(8), 'default', settings)).toBeNull()
})

test('given two relays, when answers succeed at one, then the other counts them too', () => {
  const { one, other, exchange } = relays()
  one.succeeded(user, settings)
  one.succeeded(user, settings)
  expect(other.admit(user, 'default', settings)).toBeNull()
  exchange()
  expect(other.admit(user, 'default', settings)).toMatchObject({ status: 429 })
})

test('given what another relay told, when the window has passed, then it counts no longer and is told no further', async () => {
  const { clock, one, other, exchange } = relays()
  for (let i = 0; i < 3; i++) one.admit(user, 'default', settings)
  exchange()
  expect(other.admit(user, 'default', settings)).toMatchObject({ status: 429 })
  await clock.pass(60_000)
  expect(other.takeUntold().size).toBe(0)
  expect(other.admit(user, 'default', settings)).toBeNull()
})

test('given one relay alone, when nobody asks what it counts, then it keeps nothing for others', () => {
  const limiter = new ModelRateLimiter(new ManualClock())
  limiter.admit(user, 'default', settings)
  expect(limiter.takeUntold().size).toBe(0)
  limiter.admit(user, 'default', settings)
  expect(limiter.takeUntold().get(user)).toEqual({ requests: 1, successes: 0 })
})
