import { expect, test } from 'vitest'
import type { Charge } from '../../parts/charge/charge.ts'
import { supportText } from './support-text.ts'

const CHARGE = {
  request_id: 'req-7',
  username: 'ann',
  created_at: 1_770_120_000,
  duration_ms: 1_500,
  endpoint: '/v1/chat/completions',
  is_stream: true,
  upstream_model: 'gpt-4o',
  amount: 149,
  late: false,
  attempts: [{ started_at: null }],
  upstream: {
    request_id: 'req_abc',
    response_id: 'chatcmpl-1',
    model: 'gpt-4o-2024-08-06',
    service_tier: null,
    speed: null,
    region: null,
  },
} as unknown as Charge

test('given a charge, when its ids are copied for support, then its times are there and its owner is not', () => {
  expect(supportText(CHARGE)).toBe(`Provider request id: req_abc
Provider response id: chatcmpl-1
Model asked for: gpt-4o
Model that answered: gpt-4o-2024-08-06
Endpoint: /v1/chat/completions, streamed
Sent: 2026-02-03T11:59:58.500Z
Duration: 1500 ms
Our request id: req-7`)
})

test.each([
  [
    'a failed attempt before',
    { attempts: [{ started_at: 1 }, { started_at: 2_000 }] },
    '1970-01-01T00:00:02.000Z',
  ],
  ['a late charge', { late: true }, null],
])(
  'given %s, when its ids are copied for support, then the time sent is known or left out',
  (_, facts, sent) => {
    const text = supportText({ ...CHARGE, ...facts } as Charge)
    expect(/^Sent: (.*)$/mu.exec(text)?.[1] ?? null).toBe(sent)
  },
)
