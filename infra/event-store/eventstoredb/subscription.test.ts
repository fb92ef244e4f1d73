import type { AllStreamResolvedEvent, EventStoreDBClient } from '@eventstore/db-client'
import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createPrepares } from './recorded.ts'
import { follow } from './subscription.ts'

/** As many as wait for a consumer; then the client keeps up to 16 more to itself. */
const WAITING = 4_000
const HELD_BACK = 10

function resolvedEvent(revision: number): AllStreamResolvedEvent {
  const position = { commit: BigInt(revision * 10), prepare: BigInt(revision * 10) }
  const event = {
    streamId: 'account-1',
    id: crypto.randomUUID(),
    revision: BigInt(revision),
    type: 'UsageCharged',
    data: {},
    metadata: {},
    isJson: true,
    created: new Date(0),
    position,
  }
  return { event, commitPosition: position.commit } as AllStreamResolvedEvent
}

test('given a consumer that comes late, when checkpoint and end are announced ahead of events that the client holds, then no batch claims them before', async () => {
  // The client's subscription is such a stream; this one is filled by hand, to the very moment that matters.
  const subscription = Object.assign(new PassThrough({ objectMode: true }), {
    unsubscribe: () => Promise.resolve(),
  })
  let checkpointReached: (subscription: unknown, at: { commit: bigint }) => void = () => undefined
  const client = {
    subscribeToAll(options: { filter: { checkpointReached: typeof checkpointReached } }) {
      checkpointReached = options.filter.checkpointReached
      return subscription
    },
  } as unknown as EventStoreDBClient
  const stop = new AbortController()
  const follower = follow(client, createPrepares(), -1, 'all', false, stop.signal)
  for (let revision = 0; revision < WAITING + HELD_BACK; revision += 1) {
    subscription.write(resolvedEvent(revision))
    if (revision < WAITING) await nextTurn()
  }
  expect([subscription.isPaused(), subscription.readableLength]).toEqual([true, HELD_BACK])
  checkpointReached(subscription, { commit: 1_000_000n })
  subscription.emit('caughtUp')

  let handedOut = 0
  for (;;) {
    const found = await follower.take()
    if (found === null) break
    handedOut += found.events.length
    const isWhole = handedOut === WAITING + HELD_BACK
    expect({ position: found.position, caughtUp: found.caughtUp }).toEqual({
      position: isWhole ? 1_000_000 : (handedOut - 1) * 10,
      caughtUp: isWhole,
    })
    if (isWhole) stop.abort()
  }
  expect(handedOut).toBe(WAITING + HELD_BACK)
})

test('given a subscription that fails, when taking, then what had arrived comes first and the failure after', async () => {
  const subscription = Object.assign(new PassThrough({ objectMode: true }), {
    unsubscribe: () => Promise.resolve(),
  })
  const client = { subscribeToAll: () => subscription } as unknown as EventStoreDBClient
  const follower = follow(client, createPrepares(), -1, 'all', false, new AbortController().signal)
  subscription.write(resolvedEvent(0))
  await nextTurn()
  subscription.emit('error', new Error('gone'))
  expect((await follower.take())?.events.length).toBe(1)
  await expect(follower.take()).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringContaining('gone'),
  })
})
