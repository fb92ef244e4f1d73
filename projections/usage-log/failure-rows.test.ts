import {
  type Attempt,
  bareAttempt,
  type ClientTrace,
} from '@tollgate/domain/account/request-facts.ts'
import { channelId, requestId, tokenId, userId } from '@tollgate/domain/ids.ts'
import { expect, test } from 'vitest'
import { type LoggedEvent, rowOf } from './row.ts'
import { DEFAULTS } from './settings.ts'

const detailOf = (
  channelType: number | null,
  suppressed = 0,
  firstByteMs: number | null = null,
  trace: ClientTrace = {},
  attempts: readonly Attempt[] = [bareAttempt(channelId(4))],
): string | undefined => {
  const event: LoggedEvent = {
    id: '0b0e5f0c-7f0e-4f0a-9d3c-2a1f5be0a001',
    type: 'RequestFailed',
    stream: 'requests-7',
    revision: 1,
    position: 9,
    metadata: { actor: 'system' },
    data: {
      at: 1_000,
      request: requestId('r'),
      account: userId(7),
      token: tokenId(3),
      channel: 4,
      channelType,
      model: 'gpt-4o',
      group: 'default',
      attempts,
      stream: false,
      firstByteMs,
      durationMs: 12,
      status: 502,
      errorType: 'upstream_error',
      errorCode: 'bad',
      message: 'no',
      suppressed,
      ...trace,
    },
  }
  return rowOf(event, DEFAULTS)?.detail
}

test('given a failure without a noted channel type, when its row is made anew, then it is as before', () => {
  expect(detailOf(null)).toBe(
    '{"status":502,"errorType":"upstream_error","errorCode":"bad","path":[4],"durationMs":12}',
  )
})

test('given a failure whose channel type was noted, when logged, then its row has it', () => {
  expect(JSON.parse(detailOf(1) ?? '')).toMatchObject({ channelType: 1 })
})

test('given a stream that failed after it had begun, when logged, then its row says when it began', () => {
  expect(JSON.parse(detailOf(1, 0, 310) ?? '')).toMatchObject({ firstByteMs: 310 })
})

test('given a failure that stands for others, when logged, then its row says for how many', () => {
  expect(JSON.parse(detailOf(1, 1_980) ?? '')).toMatchObject({ suppressed: 1_980 })
})

test('given a failure that its client named, when logged, then its row has the names', () => {
  const trace = { clientRequestId: 'order-7', traceId: '4bf92f3577b34da6a3ce929d0e0e4736' }
  expect(JSON.parse(detailOf(1, 0, null, trace) ?? '')).toMatchObject(trace)
})

test('given a failure whose attempts were noted, when logged, then its row says how each ended', () => {
  const end = { startedAt: 990, ms: 12, status: 500, code: 'server_error', why: 'no' }
  const attempts = [{ ...bareAttempt(channelId(4)), ...end }]
  expect(JSON.parse(detailOf(1, 0, null, {}, attempts) ?? '')).toMatchObject({
    path: [4],
    attempts: [end],
  })
})
