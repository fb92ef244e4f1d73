import { userId } from '@tollgate/domain/ids.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { ManualClock } from '@tollgate/tests/support/manual-clock.ts'
import { expect, test } from 'vitest'
import { relaySettings } from '../directory/relay-settings.ts'
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

test('given two relays, when they have told each other, then together they keep to the limit', () => {
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

test('given another relay’s counts, when the window has passed, then they count no longer', async () => {
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

test('given a group with its own limits, when its users ask, then those hold for them alone', () => {
  const clock = new ManualClock()
  const limiter = new ModelRateLimiter(clock)
  const grouped = {
    ...settings,
    groups: new Map([
      ['vip', [0, 5] as const],
      ['free', [1, 1] as const],
    ]),
  }
  for (let i = 0; i < 5; i++) {
    expect(limiter.admit(user, 'vip', grouped)).toBeNull()
    limiter.succeeded(user, grouped)
  }
  expect(limiter.admit(user, 'vip', grouped)).toMatchObject({
    status: 429,
    message: '您已达到请求数限制：1分钟内最多请求5次',
  })
  const other = userId(8)
  expect(limiter.admit(other, 'free', grouped)).toBeNull()
  expect(limiter.admit(other, 'free', grouped)).toMatchObject({
    message: '您已达到总请求数限制：1分钟内最多请求1次，包括失败次数，请检查您的请求是否正确',
  })
  for (let i = 0; i < 2; i++) expect(limiter.admit(other, 'default', grouped)).toBeNull()
  expect(limiter.admit(other, 'default', grouped)).toMatchObject({ status: 429 })
})

test('given a full window, when refused, then Retry-After tells when one more is let through', async () => {
  const clock = new ManualClock()
  const limiter = new ModelRateLimiter(clock)
  limiter.admit(user, 'default', settings)
  await clock.pass(20_000)
  limiter.admit(user, 'default', settings)
  limiter.admit(user, 'default', settings)
  await clock.pass(9_500)
  expect(limiter.admit(user, 'default', settings)).toMatchObject({ retryAfterSeconds: 31 })
  await clock.pass(30_500)
  expect(limiter.admit(user, 'default', settings)).toBeNull()
  expect(limiter.admit(user, 'default', settings)).toMatchObject({ retryAfterSeconds: 20 })
})

test('given options, when read, then a duration of 0 or the switch means no limit', () => {
  const rateLimit = (...entries: [string, string][]) =>
    relaySettings(optionsFrom(entries), 0).rateLimit
  const on: [string, string] = ['ModelRequestRateLimitEnabled', 'true']
  expect(rateLimit()).toBeNull()
  expect(rateLimit(on, ['ModelRequestRateLimitDurationMinutes', '0'])).toBeNull()
  expect(rateLimit(on, ['ModelRequestRateLimitGroup', '{"vip":[0,5]}'])).toEqual({
    windowMinutes: 1,
    windowMs: 60_000,
    total: 0,
    successes: 1_000,
    groups: new Map([['vip', [0, 5]]]),
  })
})
