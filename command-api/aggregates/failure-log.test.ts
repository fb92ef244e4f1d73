import { relayId, requestId, tokenId, userId } from '@tollgate/domain/ids.ts'
import type { NewEvent } from '@tollgate/domain/event.ts'
import { type StreamHead, StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import type { FailedRequest, RequestFailure } from '@tollgate/domain/ports/usage-journal.ts'
import { ManualClock } from '@tollgate/tests/support/manual-clock.ts'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { EventFailureLog } from './failure-log.ts'

const failureOf = (token: number): FailedRequest => ({
  account: userId(7),
  token: tokenId(token),
  request: requestId('request'),
  at: 0,
  model: 'gpt-4o',
  group: 'default',
  channel: null,
  channelType: null,
  attempts: [],
  stream: false,
  firstByteMs: null,
  durationMs: 1,
  status: 404,
  errorType: 'new_api_error',
  errorCode: 'model_not_found',
  message: 'no',
})

/** A log that keeps what it is given, while it is there. */
function failureLog() {
  const clock = new ManualClock()
  const written: RequestFailure[] = []
  const dropped: number[] = []
  const appended: WeakRef<object>[] = []
  let isUnavailable = false
  const append = (_: string, events: readonly NewEvent[], head: StreamHead) => {
    if (isUnavailable) return Promise.reject(new StoreUnavailable('away', 'none'))
    appended.push(...events.map((event) => new WeakRef(event)))
    written.push(...events.map(({ data }) => data as RequestFailure))
    return Promise.resolve({
      head: { revision: head.revision + events.length, hash: 'h' },
      position: written.length,
    })
  }
  let ids = 0
  const log = new EventFailureLog({
    store: { append, readStream: () => (async function* () {})() } as never,
    relay: relayId('relay'),
    clock,
    randomness: { uuid: () => `id-${ids++}`, fraction: () => 0 },
    onDropped: (count) => dropped.push(count),
  })
  const fail = (times: number, token = 1): void => {
    for (let time = 0; time < times; time++) log.record(failureOf(token))
  }
  /** Failures that the events of a token stand for. */
  const counted = (token = 1): number =>
    written
      .filter((failure) => failure.token === token)
      .reduce((sum, { suppressed }) => sum + 1 + suppressed, 0)
  return {
    log,
    clock,
    written,
    appended,
    dropped,
    fail,
    counted,
    setUnavailable: (unavailable: boolean) => (isUnavailable = unavailable),
  }
}

test('given a client in a loop, when a minute has passed, then the logged events count all its failures', async () => {
  const { log, clock, written, fail, counted } = failureLog()
  fail(2_000)
  fail(3, 2)
  await log.settled()
  expect(written.filter(({ token }) => token === 1)).toHaveLength(21)
  expect(counted()).toBe(2_000)
  expect(counted(2)).toBe(3)

  fail(50)
  await clock.pass(60_000)
  fail(1)
  log.flush()
  await log.settled()
  expect(counted()).toBe(2_051)
  expect(written.at(-1)?.suppressed).toBe(50)
})

test('given a log that was away, when it is back, then the next event counts what could not be written', async () => {
  const { log, fail, counted, dropped, setUnavailable } = failureLog()
  setUnavailable(true)
  fail(5)
  await log.settled()
  fail(2_500)
  await log.settled()
  setUnavailable(false)
  log.flush()
  await log.settled()
  expect(counted()).toBe(2_505)
  expect(dropped).toEqual([])
})

test('given failures that are written, when further ones are, then the first are not kept in memory', async () => {
  const { log, appended, fail } = failureLog()
  for (let batch = 0; batch < 3; batch += 1) {
    fail(1)
    await log.settled()
  }
  // Weak references hold what they were made of until the turn is over.
  await new Promise(setImmediate)
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
  expect(appended).toHaveLength(3)
  expect(appended[0]?.deref()).toBeUndefined()
})
