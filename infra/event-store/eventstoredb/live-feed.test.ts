import { expect, test } from 'vitest'
import { liveFeed } from './live-feed.ts'
import type { ArrivedEvent } from './recorded.ts'
import type { FetchedBatch, Follower } from './subscription.ts'

const event = (position: number): ArrivedEvent =>
  ({ stream: 'account-1', type: 'UsageCharged', position }) as ArrivedEvent

/** A feed of which the test says what comes. */
function feedByHand() {
  let receive: (found: FetchedBatch) => void = () => expect.unreachable('nobody follows')
  const starts: number[] = []
  const ended: AbortSignal[] = []
  const feed = liveFeed(
    (after, signal, receiver) => {
      starts.push(after)
      ended.push(signal)
      receive = receiver
      return new Promise(() => undefined)
    },
    () => undefined,
  )
  const bring = (...positions: number[]): void =>
    receive({ events: positions.map(event), position: positions.at(-1) ?? 0, caughtUp: true })
  return { feed, starts, ended, bring }
}

const positionsOf = async (follower: Follower | null): Promise<number[] | undefined> =>
  (await follower?.take())?.events.map(({ position }) => position)

test('given a feed, when one joins behind and one ahead, then each has every later event once', async () => {
  const { feed, starts, ended, bring } = feedByHand()
  const { signal } = new AbortController()
  const first = feed.join(10, signal)
  expect(await first?.take()).toEqual({ events: [], position: 10, caughtUp: false })
  bring(11, 12)
  const behind = feed.join(11, signal)
  const ahead = feed.join(14, signal)
  bring(13, 14, 15)
  expect(await positionsOf(first)).toEqual([11, 12, 13, 14, 15])
  expect(await positionsOf(behind)).toEqual([12, 13, 14, 15])
  expect(await positionsOf(ahead)).toEqual([15])
  expect(starts).toEqual([10])
  for (const one of [first, behind]) one?.stop()
  expect(ended.map(({ aborted }) => aborted)).toEqual([false])
  ahead?.stop()
  expect(ended.map(({ aborted }) => aborted)).toEqual([true])
})

test('given a feed that has gone on far, when one joins from before it, then it must catch up by itself', () => {
  const { feed, bring } = feedByHand()
  const { signal } = new AbortController()
  feed.join(0, signal)
  for (let from = 1; from <= 3_000; from += 100) {
    bring(...Array.from({ length: 100 }, (_, index) => from + index))
  }
  expect(feed.join(900, signal)).toBeNull()
  expect(feed.join(2_500, signal)).not.toBeNull()
})

test('given a consumer that does not come, when too much waits, then it is dropped and the others go on', async () => {
  const { feed, bring } = feedByHand()
  const { signal } = new AbortController()
  const [slow, quick] = [feed.join(0, signal), feed.join(0, signal)]
  for (let from = 1; from <= 5_000; from += 500) {
    bring(...Array.from({ length: 500 }, (_, index) => from + index))
    expect(await positionsOf(quick)).toHaveLength(500)
  }
  expect(await slow?.take()).toBeNull()
  bring(5_001)
  expect(await positionsOf(quick)).toEqual([5_001])
})
