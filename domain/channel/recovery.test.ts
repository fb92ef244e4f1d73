import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChannelEvent, ChannelTerms } from './events.ts'
import { evolveChannel } from './evolve.ts'
import { isDueForTest } from './recovery.ts'
import { isLive, type LiveChannel, NO_CHANNEL } from './state.ts'

const TERMS = { models: ['m'], groups: ['default'], autoBan: true } as unknown as ChannelTerms
const MINUTE = 60_000

const outAt = (at: number): ChannelEvent => ({
  type: 'ChannelAutoDisabled',
  data: { at, reason: 'no', upstreamStatus: 401, bodyExcerpt: '' },
})
const openedAt = (at: number): ChannelEvent => ({
  type: 'ChannelHalfOpened',
  data: { at, reason: '' },
})
const lostAt = (at: number): ChannelEvent => ({
  type: 'ChannelTrialFailed',
  data: { at, reason: 'no', upstreamStatus: 503, bodyExcerpt: '' },
})
const testedAt = (at: number, succeeded: boolean): ChannelEvent => ({
  type: 'ChannelTested',
  data: {
    at,
    model: 'm',
    succeeded,
    durationMs: 1,
    error: '',
    promptTokens: null,
    completionTokens: null,
    testedBy: null,
  },
})
const read = (at: number, balanceUsd: string): ChannelEvent => ({
  type: 'ChannelBalanceRead',
  data: { at, balanceUsd },
})
const backAt = (at: number): ChannelEvent => ({
  type: 'ChannelAutoEnabled',
  data: { at, reason: '' },
})

function given(...events: readonly ChannelEvent[]): LiveChannel {
  const added: ChannelEvent = { type: 'ChannelAdded', data: { at: 0, ...TERMS } }
  const state = [added, ...events].reduce(evolveChannel, NO_CHANNEL)
  if (!isLive(state)) throw new Error('the channel is gone')
  return state
}

test('given a channel that keeps failing, when tested again, then the pauses double up to an hour', () => {
  const pauses: number[] = []
  let events: readonly ChannelEvent[] = [outAt(0)]
  for (let round = 0; round < 9; round += 1) {
    const { recovery, statusAt, test: last } = given(...events)
    const at = recovery?.retryAt ?? 0
    pauses.push((at - Math.max(statusAt, last?.at ?? 0)) / MINUTE)
    events = [...events, testedAt(at, false)]
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
})

test('given a half-open channel, when its trial fails, then the next pause is longer than the last', () => {
  const lost = given(outAt(0), testedAt(MINUTE, true), openedAt(MINUTE), lostAt(2 * MINUTE))
  expect(lost).toMatchObject({
    status: 'auto-disabled',
    recovery: { failures: 2, retryAt: 4 * MINUTE },
  })
  const again = given(
    outAt(0),
    openedAt(MINUTE),
    lostAt(2 * MINUTE),
    openedAt(4 * MINUTE),
    lostAt(5 * MINUTE),
  )
  expect(again.recovery).toEqual({ failures: 3, retryAt: 9 * MINUTE })
})

test('given a channel that came back, when it fails anew, then the pauses begin anew', () => {
  const events = [outAt(0), testedAt(MINUTE, false), openedAt(2), lostAt(3), openedAt(4), backAt(5)]
  expect(given(...events)).toMatchObject({ status: 'enabled', recovery: null })
  expect(given(...events, outAt(6)).recovery).toEqual({ failures: 1, retryAt: 6 + MINUTE })
})

test('given a channel out of service, when its key or terms change, then it is due at once', () => {
  const out = [outAt(0), testedAt(1, false), testedAt(2, false)]
  expect(isDueForTest(given(...out), 3)).toBe(false)
  for (const change of [
    { type: 'ChannelKeyReplaced', data: { at: 3 } },
    { type: 'ChannelRevised', data: { at: 3, ...TERMS } },
  ] as const satisfies readonly ChannelEvent[]) {
    expect(isDueForTest(given(...out, change), 3)).toBe(true)
    expect(given(...out, change, testedAt(4, false)).recovery).toEqual({
      failures: 1,
      retryAt: 4 + MINUTE,
    })
  }
})

test('given a test that passes in vain, when it was due, then the same pause follows; else its time stays', () => {
  expect(given(outAt(0), testedAt(5, true)).recovery).toEqual({ failures: 1, retryAt: MINUTE })
  expect(given(outAt(0), testedAt(MINUTE, true)).recovery).toEqual({
    failures: 1,
    retryAt: 2 * MINUTE,
  })
})

test.each([
  ['0', 2],
  ['-1.50', 2],
  ['0.01', 1],
])('given a channel out of service, when its balance is %s, then %i failures', (usd, failures) => {
  expect(given(outAt(0), read(1, usd)).recovery?.failures).toBe(failures)
})

test('given any life, when looked at, then only an automatically disabled channel waits for a test', () => {
  const at = fc.integer({ min: 0, max: 1e9 })
  const event = fc.oneof(
    at.map(outAt),
    at.map(openedAt),
    at.map(lostAt),
    at.map(backAt),
    fc.tuple(at, fc.boolean()).map(([moment, succeeded]) => testedAt(moment, succeeded)),
    at.map((moment) => read(moment, '-1')),
    at.map((moment): ChannelEvent => ({ type: 'ChannelKeyReplaced', data: { at: moment } })),
    at.map((moment): ChannelEvent => ({
      type: 'ChannelDisabled',
      data: { at: moment, reason: '' },
    })),
  )
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      const { status, recovery } = given(...events)
      const isOut = status === 'auto-disabled'
      if (isOut) expect(recovery).not.toBeNull()
      if (status === 'enabled' || status === 'disabled') expect(recovery).toBeNull()
      expect(isDueForTest(given(...events), Number.MAX_SAFE_INTEGER)).toBe(isOut)
    }),
  )
})
