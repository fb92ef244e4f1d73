import { tokenId, userId } from '@tollgate/domain/ids.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { describe, expect, test } from 'vitest'
import type { TokenFacts } from './facts.ts'
import type { TokenLookup } from './source.ts'
import { TokenCache } from './token-cache.ts'
import { TokenLookupUnavailable } from './token-lookup-unavailable.ts'

const USER = userId(5)
const token = (status: TokenFacts['status']): TokenFacts => ({
  id: tokenId(1),
  status,
  terms: { unlimited: true, expiresAt: null, group: '', models: null, allowedIps: [] },
  user: { id: USER, isActive: true, role: 1, group: 'default', acceptsUnsetRatio: false },
})
const found = (status: TokenFacts['status'], asOf: number): TokenLookup => ({
  status: 'found',
  token: token(status),
  asOf,
})

/** A source that answers from a list, the last answer for ever. */
function source(...answers: ReadonlyArray<TokenLookup | Promise<TokenLookup>>): {
  asked: number
  findToken(key: string): Promise<TokenLookup>
} {
  return {
    asked: 0,
    async findToken() {
      const answer = answers[Math.min(this.asked, answers.length - 1)] ?? { status: 'absent' }
      this.asked += 1
      return answer
    },
  }
}
const now = (): number => performance.now()

test('given a known token, when asked again, then nothing is looked up', async () => {
  const tokens = source(found('enabled', 3))
  const cache = new TokenCache(tokens, now)
  expect(await cache.find('k')).toEqual(token('enabled'))
  expect(cache.find('k')).toEqual(token('enabled'))
  expect(tokens.asked).toBe(1)
})

test('given many askers at once, when the token is cold, then it is looked up once', async () => {
  const tokens = source(found('enabled', 3))
  const cache = new TokenCache(tokens, now)
  const all = await Promise.all(Array.from({ length: 50 }, async () => cache.find('k')))
  expect(all.every((one) => one?.status === 'enabled')).toBe(true)
  expect(tokens.asked).toBe(1)
})

test('given a token in memory, when its account changes, then it is looked up until the change is seen', async () => {
  const tokens = source(found('enabled', 3), found('enabled', 3), found('disabled', 9))
  const cache = new TokenCache(tokens, now)
  await cache.find('k')
  cache.changed(USER, 9)
  expect((await cache.find('k'))?.status).toBe('disabled')
  expect(tokens.asked).toBe(3)
})

test('given a look-up on its way, when a change overtakes it, then its answer is not kept', async () => {
  let answer: (lookup: TokenLookup) => void = () => undefined
  const slow = new Promise<TokenLookup>((resolve) => {
    answer = resolve
  })
  const tokens = source(slow, found('disabled', 9))
  const cache = new TokenCache(tokens, now)
  const asked = cache.find('k')
  cache.changed(USER, 9)
  answer(found('enabled', 8))
  expect((await asked)?.status).toBe('disabled')
})

test('given a token that was just issued, when the read model is behind, then it is waited for', async () => {
  const tokens = source({ status: 'not-yet' }, { status: 'not-yet' }, found('enabled', 4))
  expect(await new TokenCache(tokens, now).find('k')).toEqual(token('enabled'))
})

describe('given a token that was looked up long ago,', () => {
  const LONG_MS = 61_000

  test('when asked for, then nobody waits, and the next is told what was looked up meanwhile', async () => {
    let ms = 1
    const tokens = source(found('enabled', 3), found('disabled', 3))
    const cache = new TokenCache(tokens, () => ms)
    await cache.find('k')
    ms += LONG_MS
    expect(cache.find('k')).toEqual(token('enabled'))
    await until('it was looked up', () => isNow(cache.find('k'), 'disabled'))
    expect(tokens.asked).toBe(2)
  })

  test('when its source is away, then what is known stands, until it is back', async () => {
    let ms = 1
    const unavailable = Promise.reject(new TokenLookupUnavailable('away'))
    unavailable.catch(() => undefined)
    const tokens = source(found('enabled', 3), unavailable, unavailable, { status: 'absent' })
    const cache = new TokenCache(tokens, () => ms)
    await cache.find('k')
    ms += LONG_MS
    expect(cache.find('k')).toEqual(token('enabled'))
    await until('it is gone', async () => (await cache.find('k')) === null)
    expect(tokens.asked).toBe(4)
  })

  test('when its account changes, then it is not answered before it was looked up', async () => {
    let ms = 1
    const tokens = source(found('enabled', 3), found('disabled', 9))
    const cache = new TokenCache(tokens, () => ms)
    await cache.find('k')
    ms += LONG_MS
    cache.changed(USER, 9)
    expect((await cache.find('k'))?.status).toBe('disabled')
  })
})

const isNow = async (
  facts: ReturnType<TokenCache['find']>,
  status: TokenFacts['status'],
): Promise<boolean> => (await facts)?.status === status

test('given a key that does not exist, when asked twice, then it is looked up once', async () => {
  const tokens = source({ status: 'absent' })
  const cache = new TokenCache(tokens, now)
  expect(await cache.find('k')).toBeNull()
  expect(cache.find('k')).toBeNull()
  expect(tokens.asked).toBe(1)
})

test('given a source that fails, when asked again, then it is asked again', async () => {
  const tokens = source(Promise.reject(new Error('away')), found('enabled', 1))
  const cache = new TokenCache(tokens, now)
  await expect(cache.find('k')).rejects.toThrow('away')
  expect((await cache.find('k'))?.status).toBe('enabled')
})

test('given a look-up that stays behind a change, when its patience ends, then it is not answered', async () => {
  let ms = 0
  const tokens = source(found('enabled', 3))
  const cache = new TokenCache(tokens, () => (ms += 700))
  cache.changed(USER, 9)
  await expect(async () => cache.find('k')).rejects.toMatchObject({
    code: 'TOKEN_LOOKUP_UNAVAILABLE',
    retryable: true,
  })
})

test('given a flood of unknown keys, when the queue is full, then the next is turned away at once', async () => {
  let answer: (lookup: TokenLookup) => void = () => undefined
  const slow = new Promise<TokenLookup>((resolve) => {
    answer = resolve
  })
  const cache = new TokenCache({ findToken: () => slow }, now)
  const waiting = Array.from({ length: 1_032 }, async (_, key) => cache.find(`k${key}`))
  await expect(async () => cache.find('one more')).rejects.toMatchObject({
    code: 'TOKEN_LOOKUP_UNAVAILABLE',
  })
  answer({ status: 'absent' })
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([null]))
})
