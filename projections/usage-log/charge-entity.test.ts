import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { exampleUsage } from '@tollgate/tests/support/example-usage.ts'
import { bareAttempt, UNTOLD } from '@tollgate/domain/account/request-facts.ts'
import { channelId, holdId, userId } from '@tollgate/domain/ids.ts'
import { priceBookFrom } from '@tollgate/domain/pricing/price-book.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { expect, test } from 'vitest'
import { chargeEntity } from './charge-entity.ts'
import { selfEntity } from './entity.ts'
import { type LoggedEvent, rowOf } from './row.ts'

const names = {
  users: new Map<number, string>(),
  tokens: new Map<number, string>(),
  channels: new Map([
    [3, 'first'],
    [1, 'second'],
  ]),
  notes: new Map<string, string>(),
  prices: priceBookFrom(optionsFrom([]), 0),
}

const FAILED = {
  ...bareAttempt(channelId(3)),
  startedAt: 1_000,
  ms: 40,
  status: 500,
  code: 'server_error',
  why: 'The server had an error',
}
const ANSWERED = { ...bareAttempt(channelId(1)), startedAt: 1_041, ms: 900, status: 200 }

/** The row of a charge of this request. */
function rowFor(more: Parameters<typeof exampleUsage>[1]) {
  const event: AccountEvent = {
    type: 'UsageCharged',
    data: {
      at: 1,
      hold: holdId(userId(7), 1, null),
      sequence: 1,
      token: null,
      amount: quota(5),
      fromHold: quota(5),
      fromWallet: quota(0),
      late: false,
      request: exampleUsage('r', more),
      endedAt: 1,
    },
  }
  const recorded = { ...event, id: 'e', stream: 'account-7', position: 1 } as LoggedEvent
  const row = rowOf(recorded, { logsConsumption: true } as Parameters<typeof rowOf>[1])
  if (row === null) throw new Error('the charge has no row')
  return row
}

test('given a client that names its request and trace, when the charge is read, then it has both names', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const row = rowFor({ clientRequestId: 'order-7', traceId })
  const named = { client_request_id: 'order-7', trace_id: traceId }
  expect(chargeEntity(row, names, false)).toMatchObject(named)
  expect(JSON.parse(selfEntity(row, names).other)).toMatchObject(named)
  expect(chargeEntity(rowFor({}), names, false)).toMatchObject({
    client_request_id: null,
    trace_id: null,
  })
})

test('given two attempts, when an administrator reads the charge, then each has its end, for no user', () => {
  const row = rowFor({ attempts: [FAILED, ANSWERED], upstream: { ...UNTOLD, requestId: 'req_1' } })
  expect(chargeEntity(row, names, true)).toMatchObject({
    attempts: [
      {
        channel_id: 3,
        channel_name: 'first',
        started_at: 1_000,
        ms: 40,
        status: 500,
        code: 'server_error',
        why: 'The server had an error',
      },
      { channel_id: 1, channel_name: 'second', started_at: 1_041, ms: 900, status: 200, why: null },
    ],
    attempt_count: 2,
    upstream: { request_id: 'req_1', response_id: null, model: null },
  })
  expect(chargeEntity(row, names, false)).toMatchObject({
    attempts: [],
    attempt_count: 2,
    upstream: null,
  })
})

test('given upstream’s model name, when it differs from the one asked for, then only then is it kept', () => {
  const upstreamOf = (model: string) =>
    chargeEntity(rowFor({ upstream: { ...UNTOLD, model } }), names, true)?.upstream
  expect(upstreamOf('gpt-4o')).toBeNull()
  expect(upstreamOf('gpt-4o-2024-08-06')).toMatchObject({ model: 'gpt-4o-2024-08-06' })
})

test('given an event without attempts, when its row is made, then the row is as it was then', () => {
  const row = rowFor({ attempts: [bareAttempt(channelId(3)), bareAttempt(channelId(1))] })
  expect(JSON.parse(row.detail)).toEqual({
    usage: {},
    endpoint: '/v1/chat/completions',
    firstByteMs: null,
    durationMs: 1,
    path: [3, 1],
    hold: '7@1',
    sequence: 1,
    fromWallet: 0,
  })
  const unsaid = { started_at: null, ms: null, status: null, code: null, why: null }
  expect(chargeEntity(row, names, true)).toMatchObject({
    attempts: [
      { channel_id: 3, ...unsaid },
      { channel_id: 1, ...unsaid },
    ],
    upstream: null,
  })
})
