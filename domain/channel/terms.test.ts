import { describe, expect, test } from 'vitest'
import type { ChannelTerms } from './events.ts'
import { normalisedTerms, termsProblem } from './terms.ts'

const TERMS: ChannelTerms = {
  type: 1,
  openaiOrganization: '',
  testModel: '',
  baseUrl: '',
  other: '',
  models: ['gpt-4o'],
  groups: ['default'],
  modelMapping: '',
  statusCodeMapping: '',
  paramOverride: '',
  setting: '',
  priority: 0,
  weight: 0,
  autoBan: true,
  tag: '',
  maxInputTokens: 0,
}

describe('terms of a channel', () => {
  const refused: ReadonlyArray<readonly [Partial<ChannelTerms>, string]> = [
    [{ type: 0 }, 'type-not-offered'],
    [{ type: 21 }, 'type-not-offered'],
    [{ type: 28 }, 'type-not-offered'],
    [{ type: 29 }, 'type-not-offered'],
    [{ type: 30 }, 'type-not-offered'],
    [{ type: 32 }, 'type-not-offered'],
    [{ type: 50 }, 'type-not-offered'],
    [{ type: 1.5 }, 'type-not-offered'],
    [{ type: 41 }, 'region-missing'],
    [{ maxInputTokens: -1 }, 'max-input-tokens-negative'],
    [{ type: 41, other: '{"a":"b"}' }, 'region-without-default'],
    [{ models: [] }, 'models-missing'],
    [{ models: ['好'.repeat(86)] }, 'model-name-too-long'],
    [{ groups: ['g'.repeat(65)] }, 'group-name-too-long'],
    [{ type: 3 }, 'base-url-missing'],
    [{ type: 8 }, 'base-url-missing'],
    [{ baseUrl: 'api.example.com' }, 'base-url-invalid'],
    [{ baseUrl: 'https://' }, 'base-url-invalid'],
    [{ baseUrl: 'https://me:secret@api.example.com' }, 'base-url-with-credentials'],
    [{ openaiOrganization: 'org\r\nx: y' }, 'organization-invalid'],
    [{ openaiOrganization: '组织' }, 'organization-invalid'],
    [{ type: 17, other: '插件' }, 'plugin-invalid'],
    [{ modelMapping: '{"a":' }, 'model-mapping-invalid'],
    [{ modelMapping: '["a"]' }, 'model-mapping-invalid'],
    [{ modelMapping: '{"a":1}' }, 'model-mapping-invalid'],
    [{ statusCodeMapping: '{"400":"x"}' }, 'status-code-mapping-invalid'],
    [{ statusCodeMapping: '{"4000":"500"}' }, 'status-code-mapping-invalid'],
    [{ paramOverride: '{"stream":true}' }, 'param-override-invalid'],
    [{ paramOverride: '7' }, 'param-override-invalid'],
    [{ setting: '{"force_format":"yes"}' }, 'setting-invalid'],
    [{ setting: '{"pass_request_headers":["cookie"]}' }, 'setting-invalid'],
    [{ setting: '{"pass_request_headers":"baggage"}' }, 'setting-invalid'],
    [{ setting: '{"allow_provider_objects":1}' }, 'setting-invalid'],
    [{ setting: '{"pass_response_headers":true}' }, 'setting-invalid'],
    [{ setting: '{"pass_response_headers":["x y"]}' }, 'setting-invalid'],
    [{ setting: '{"proxy":"http://u:p@proxy"}' }, 'setting-with-proxy'],
    [{ priority: -1000 }, 'priority-out-of-range'],
    [{ priority: 0.5 }, 'priority-out-of-range'],
    [{ weight: -1 }, 'weight-out-of-range'],
    [{ weight: Number.NaN }, 'weight-out-of-range'],
    [{ models: Array.from({ length: 2000 }, (_, n) => 'm'.repeat(150) + n) }, 'terms-too-long'],
  ]
  test.each(refused)('given %o, when checked, then it is refused as %s', (some, reason) => {
    expect(termsProblem(normalisedTerms({ ...TERMS, ...some }))?.reason).toBe(reason)
  })

  test.each<Partial<ChannelTerms>>([
    {},
    { type: 49 },
    { type: 41, other: 'us-central1' },
    { type: 41, other: '{"default":"us-central1","m":"eu"}' },
    { type: 8, baseUrl: 'https://api.example.com/{model}/chat' },
    { models: ['好'.repeat(85)] },
    { priority: -999, weight: 0 },
    { modelMapping: '{"a":"b"}', statusCodeMapping: '{"400":"500","401":500}' },
    {
      setting:
        '{"pass_request_headers":["baggage","openai-project"],"pass_response_headers":["x-ratelimit-*","cf-ray"]}',
    },
    { setting: '{"pass_response_headers":["*"]}' },
    { paramOverride: '{"temperature":0}', setting: '{"thinking_to_content":true,"later":1}' },
  ])('given %o, when checked, then nothing is wrong', (some) => {
    expect(termsProblem(normalisedTerms({ ...TERMS, ...some }))).toBeNull()
  })

  test('given what forms send, when normalised, then it is tidy and holds terms only', () => {
    const sent = {
      ...TERMS,
      type: 18,
      baseUrl: ' https://x.example/ ',
      models: [' a', 'a', '', 'b'],
      groups: [' '],
      key: 'sk-secret',
    }
    expect(normalisedTerms(sent)).toEqual({
      ...TERMS,
      type: 18,
      baseUrl: 'https://x.example',
      other: 'v2.1',
      models: ['a', 'b'],
      groups: ['default'],
    })
  })
})
