import { UNTOLD } from '@tollgate/domain/account/request-facts.ts'
import { describe, expect, test } from 'vitest'
import { tell, upstreamFacts } from './upstream-facts.ts'

describe('what upstream told beside its answer', () => {
  test('given an answer that tells nothing, then nothing is made up', () => {
    expect(upstreamFacts({}, {}, null)).toEqual(UNTOLD)
    expect(
      upstreamFacts(
        { 'x-request-id': '' },
        tell({}, { id: 7, model: null, service_tier: '' }),
        [1],
      ),
    ).toEqual(UNTOLD)
  })

  test('given ids, model, tier and usage, then they are kept as they came', () => {
    const usage = { prompt_tokens: 3, details: { cached_tokens: 1, kinds: ['a', null, true] } }
    expect(
      upstreamFacts(
        { 'x-request-id': 'req_1', 'x-ms-region': 'East US' },
        { id: 'chatcmpl-1', model: 'gpt-4o-2024-08-06', service_tier: 'flex' },
        usage,
      ),
    ).toEqual({
      requestId: 'req_1',
      responseId: 'chatcmpl-1',
      model: 'gpt-4o-2024-08-06',
      serviceTier: 'flex',
      speed: null,
      region: 'East US',
      usage: JSON.stringify(usage),
      isUsageCut: false,
    })
  })

  test('given tier, speed and region in the usage, then they are found there', () => {
    const usage = { service_tier: 'batch', speed: 'fast', inference_geo: 'eu' }
    expect(upstreamFacts({ 'request-id': 'req_2' }, {}, usage)).toMatchObject({
      requestId: 'req_2',
      serviceTier: 'batch',
      speed: 'fast',
      region: 'eu',
    })
  })

  test.each([
    ['PRIORITY', 'priority'],
    ['standard', 'standard'],
    ['paid', null],
  ])('given the tier %s in the header of Google, then it is %s', (said, serviceTier) => {
    const headers = { 'x-gemini-service-tier': said }
    expect(upstreamFacts(headers, {}, null)).toEqual({ ...UNTOLD, serviceTier })
  })

  test.each([
    ['ON_DEMAND', 'standard'],
    ['ON_DEMAND_PRIORITY', 'priority'],
    ['ON_DEMAND_FLEX', 'flex'],
    ['PROVISIONED_THROUGHPUT', null],
  ])(
    'given the traffic %s in the usage of Vertex AI, then it is %s',
    (trafficType, serviceTier) => {
      expect(upstreamFacts({}, {}, { trafficType })).toMatchObject({ serviceTier })
    },
  )

  test.each([
    [
      'many members',
      Object.fromEntries(Array.from({ length: 999 }, (_, at) => [`kind-${at}`, at])),
    ],
    [
      'long texts',
      Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`text-${at}`, '语'.repeat(150)])),
    ],
    ['a long list', { list: Array.from({ length: 5_000 }, () => 1) }],
    ['lists in lists', { deep: nested(2_000) }],
    [
      'escapes',
      {
        text: '\\"'.repeat(90),
        more: '\\"'.repeat(900),
        ['\\"'.repeat(900)]: 1,
        last: 'x'.repeat(190).repeat(9),
      },
    ],
  ])(
    'given a usage object with %s, then at most 2 KB of JSON are kept and said to be cut',
    (_kind, usage) => {
      const facts = upstreamFacts({}, {}, { prompt_tokens: 5, ...usage })
      expect(Buffer.byteLength(facts.usage ?? '')).toBeLessThanOrEqual(2_048)
      expect(JSON.parse(facts.usage ?? '')).toMatchObject({ prompt_tokens: 5 })
      expect(facts.isUsageCut).toBe(true)
    },
  )

  test('given control characters, half characters and a member __proto__, then what is kept can be stored', () => {
    const usage = JSON.parse('{"a\\u0000b":"c\\u0007d\\ud800e","__proto__":{"x":1}}') as object
    const facts = upstreamFacts({}, { id: 'i\u0000d' }, usage)
    expect(facts.responseId).toBe('id')
    expect(facts.usage).toBe('{"ab":"cd\ufffde","__proto__":{"x":1}}')
  })
})

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let at = 0; at < depth; at += 1) value = [value]
  return value
}
