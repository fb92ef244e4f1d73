import type { RateLimiter } from '@tollgate/command-api/identity/rate-limiter.ts'
import {
  createMigratedDatabase,
  type TestDatabase,
} from '@tollgate/tests/support/engines/database.ts'
import { insertRegistered } from '@tollgate/tests/support/user-status.ts'
import { startWholeTollgate } from '@tollgate/tests/support/whole-tollgate.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { failureEnvelope } from '../../http/failure-envelope.ts'
import { readConfig } from '../config.ts'
import { composeGlobalLimits } from './global-limits.ts'
import { openLogger } from '../logger.ts'
import { systemClock, systemEntropy, systemRandomness } from '../runtime.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createMigratedDatabase()
})
afterAll(() => database.drop())

const runtime = {
  clock: systemClock,
  randomness: systemRandomness,
  entropy: systemEntropy,
  logger: openLogger('silent'),
}
/** How many of so many attempts of one client pass. */
async function allowed(limiter: RateLimiter | null, times: number): Promise<number> {
  if (limiter === null) throw new Error('there is no limit')
  const attempts = Array.from({ length: times }, () => limiter.take('a client'))
  return (await Promise.all(attempts)).filter(({ isAllowed }) => isAllowed).length
}

test('given the defaults, when two processes are asked, then 180 calls pass in all and 60 pages each', async () => {
  const config = readConfig({})
  const one = composeGlobalLimits(config, runtime, database, null)
  const other = composeGlobalLimits(config, runtime, database, null)
  const [ofOne, ofOther] = await Promise.all([allowed(one.api, 120), allowed(other.api, 120)])
  expect(ofOne + ofOther).toBe(180)
  expect(await allowed(one.web, 100)).toBe(60)
  expect(await allowed(other.web, 100)).toBe(60)
})

test('given limits that are switched off, when composed, then there are none', () => {
  const config = readConfig({
    GLOBAL_API_RATE_LIMIT_ENABLE: 'false',
    GLOBAL_WEB_RATE_LIMIT_ENABLE: 'false',
  })
  expect(composeGlobalLimits(config, runtime, database, null)).toEqual({
    api: null,
    web: null,
    byAccessToken: null,
  })
})

test('given the whole of Tollgate, when the console API has too many calls, then only it answers 429', async () => {
  const whole = await startWholeTollgate({
    env: {
      GLOBAL_API_RATE_LIMIT_ENABLE: 'true',
      GLOBAL_API_RATE_LIMIT: '20',
      GLOBAL_API_RATE_LIMIT_DURATION: '3600',
    },
  })
  try {
    const { url } = whole.tollgate
    const statuses: number[] = []
    for (let i = 0; i < 21; i++) statuses.push((await fetch(`${url}/api/status`)).status)
    expect(statuses[0]).toBe(200)
    expect(statuses.at(-1)).toBe(429)
    const refused = await fetch(`${url}/api/notice`)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000)
    expect(await refused.json()).toEqual(failureEnvelope('请求次数过多，请稍后再试！'))
    expect((await fetch(`${url}/v1/models`)).status).toBe(401)
  } finally {
    await whole.stop()
  }
})

test('given access tokens of two users, when each calls too often for an address, then each counts alone', async () => {
  const whole = await startWholeTollgate({
    env: { GLOBAL_API_RATE_LIMIT_ENABLE: 'true', GLOBAL_API_RATE_LIMIT: '20' },
  })
  try {
    const { url, identity } = whole.tollgate
    await whole.root.setOption('AccessTokenRateLimit', '30')
    const users = await Promise.all(
      ['one', 'other'].map((username) =>
        insertRegistered(identity.users, {
          username,
          passwordHash: null,
          displayName: username,
          role: 1,
          openingQuota: 0,
          openingSource: 'sign-up',
        }),
      ),
    )
    const statuses = async (authorization: string, times: number) => {
      const seen: number[] = []
      for (let i = 0; i < times; i++) {
        seen.push((await fetch(`${url}/api/notice`, { headers: { authorization } })).status)
      }
      return seen
    }
    for (const { id } of users) {
      const token = await identity.accessTokens.renew(id)
      const seen = await statuses(`Bearer ${token}`, 31)
      expect([new Set(seen.slice(0, 30)), seen[30]]).toEqual([new Set([200]), 429])
    }
    expect((await statuses('made-up', 30)).at(-1)).toBe(429)
  } finally {
    await whole.stop()
  }
})
