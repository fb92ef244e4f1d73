import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { eventResponse } from '@tollgate/tests/support/engines/eventstoredb-double/messages.ts'
import { expect, test } from 'vitest'
import type { ClientInternals } from './client.ts'
import { createPrepares } from './recorded.ts'
import { type ReadAnswer, readAnswer } from './read-answer.ts'
import { follow } from './subscription.ts'

/** As many as wait for a consumer; then gRPC keeps some more to itself, and the server waits. */
const WAITING = 4_000
const HELD_BACK = 10
const EVERYTHING = { exceptTypes: [] }

const arrived = (response: streams.ReadResp): ReadAnswer =>
  readAnswer(Buffer.from(response.serializeBinary()))

const response = (revision: number): ReadAnswer =>
  arrived(
    eventResponse({
      stream: 'account-1',
      revision: BigInt(revision),
      position: BigInt(revision * 10),
      id: crypto.randomUUID(),
      type: 'UsageCharged',
      contentType: 'application/json',
      data: Buffer.from('{}'),
      metadata: Buffer.from('{}'),
      created: 0,
    }),
  )

/** A call that is filled by hand, to the very moment that matters. */
function callByHand(): { readonly call: PassThrough; readonly internals: ClientInternals } {
  const call = Object.assign(new PassThrough({ objectMode: true }), { cancel: () => undefined })
  const internals = { GRPCStreamCreator: () => async () => call } as unknown as ClientInternals
  return { call, internals }
}

test('given a late consumer, when the end is announced early, then no batch claims it before its events', async () => {
  const { call, internals } = callByHand()
  const stop = new AbortController()
  const follower = follow(internals, createPrepares(), { after: -1, part: EVERYTHING }, stop.signal)
  for (let revision = 0; revision < WAITING + HELD_BACK; revision += 1) {
    call.write(response(revision))
    if (revision < WAITING) await nextTurn()
  }
  expect([call.isPaused(), call.readableLength]).toEqual([true, HELD_BACK])
  const checkpoint = new streams.ReadResp.Checkpoint()
  call.write(arrived(new streams.ReadResp().setCheckpoint(checkpoint.setCommitPosition('1000000'))))
  call.write(arrived(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp())))

  let handedOut = 0
  for (;;) {
    const found = await follower.take()
    if (found === null) break
    handedOut += found.events.length
    if (found.caughtUp) {
      expect({ handedOut, position: found.position }).toEqual({
        handedOut: WAITING + HELD_BACK,
        position: 1_000_000,
      })
      stop.abort()
    } else if (handedOut < WAITING + HELD_BACK) {
      expect(found.position).toBe((handedOut - 1) * 10)
    }
  }
  expect(handedOut).toBe(WAITING + HELD_BACK)
})

test('given a subscription that fails, when taking, then what had arrived comes before the failure', async () => {
  const { call, internals } = callByHand()
  const follower = follow(
    internals,
    createPrepares(),
    { after: -1, part: EVERYTHING },
    new AbortController().signal,
  )
  await nextTurn()
  call.write(response(0))
  await nextTurn()
  call.emit('error', new Error('gone'))
  expect((await follower.take())?.events.length).toBe(1)
  await expect(follower.take()).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringContaining('gone'),
  })
})
