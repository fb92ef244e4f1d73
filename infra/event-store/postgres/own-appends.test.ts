import { expect, test } from 'vitest'
import { ownAppends } from './own-appends.ts'

const FILTER = { streamPrefixes: ['account-', 'settings'], exceptTypes: ['UsageCharged'] }

const append = (stream: string, ...types: readonly string[]) => ({
  stream,
  events: types.map((type) => ({ type }) as never),
})

test('given only charges since a position, when a follower asks, then it is told just their end', () => {
  const own = ownAppends()
  own.note(append('account-1', 'UsageCharged', 'UsageCharged'), 11)
  own.note(append('account-2', 'UsageCharged'), 12)
  expect([8, 9, 10, 11, 12, 13].map((after) => own.searchedUpTo(after, FILTER))).toEqual([
    null,
    12,
    12,
    12,
    null,
    null,
  ])
  expect(own.searchedUpTo(9, 'all')).toBeNull()
})

test('given an event that passes the filter, when a follower asks, then it must look until past it', () => {
  const own = ownAppends()
  own.note(append('account-1', 'UsageCharged'), 5)
  own.note(append('settings', 'OptionChanged'), 6)
  own.note(append('channel-1', 'ChannelTested'), 7)
  expect([4, 5, 6].map((after) => own.searchedUpTo(after, FILTER))).toEqual([null, null, 7])
})

test('given a gap that another process filled, when a follower asks, then only what is behind it is known', () => {
  const own = ownAppends()
  own.note(append('account-1', 'UsageCharged'), 5)
  own.note(append('account-1', 'UsageCharged'), 7)
  expect([4, 5, 6].map((after) => own.searchedUpTo(after, FILTER))).toEqual([null, null, 7])
})

test('given a log that was put back, when it grows again, then nothing of its former end is known', () => {
  const own = ownAppends()
  own.note(append('account-1', 'UsageCharged'), 50)
  own.note(append('account-1', 'UsageCharged'), 20)
  expect([19, 20, 49].map((after) => own.searchedUpTo(after, FILTER))).toEqual([20, null, null])
})

test('given more appends than are remembered, when a follower is far behind, then it has to look', () => {
  const own = ownAppends()
  for (let position = 0; position < 5_000; position += 1) {
    own.note(append('account-1', 'UsageCharged'), position)
  }
  expect(own.searchedUpTo(0, FILTER)).toBeNull()
  expect(own.searchedUpTo(4_000, FILTER)).toBe(4_999)
})
