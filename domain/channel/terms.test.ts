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
  const refused: ReadonlyArray<readonly [Partial<ChannelTerms>, string, string | null]> = [
    [{ type: 0 }, 'type-not-offered', '不支持的渠道类型：0，请选择其他类型'],
    [{ type: 21 }, 'type-not-offered', null],
    [{ type: 28 }, 'type-not-offered', null],
    [{ type: 29 }, 'type-not-offered', null],
    [{ type: 30 }, 'type-not-offered', null],
    [{ type: 32 }, 'type-not-offered', null],
    [{ type: 50 }, 'type-not-offered', null],
    [{ type: 1.5 }, 'type-not-offered', null],
    [{ type: 41 }, 'region-missing', '部署地区不能为空'],
    [{ maxInputTokens: -1 }, 'max-input-tokens-negative', '最大输入 token 数不能小于 0'],
    [{ type: 41, other: '{"a":"b"}' }, 'region-without-default', '部署地区必须包含default字段'],
    [{ models: [] }, 'models-missing', '请至少选择一个模型！'],
    [{ models: ['好'.repeat(86)] }, 'model-name-too-long', `模型名称过长: ${'好'.repeat(86)}`],
    [{ groups: ['g'.repeat(65)] }, 'group-name-too-long', null],
    [{ type: 3 }, 'base-url-missing', null],
    [{ type: 8 }, 'base-url-missing', null],
    [{ baseUrl: 'api.example.com' }, 'base-url-invalid', null],
    [{ baseUrl: 'https://' }, 'base-url-invalid', null],
    [{ baseUrl: 'https://me:secret@api.example.com' }, 'base-url-with-credentials', null],
    [{ openaiOrganization: 'org\r\nx: y' }, 'organization-invalid', null],
    [{ openaiOrganization: '组织' }, 'organization-invalid', null],
    [{ type: 17, other: '插件' }, 'plugin-invalid', null],
    [{ modelMapping: '{"a":' }, 'model-mapping-invalid', '模型映射必须是合法的 JSON 格式！'],
    [{ modelMapping: '["a"]' }, 'model-mapping-invalid', null],
    [{ modelMapping: '{"a":1}' }, 'model-mapping-invalid', null],
    [{ statusCodeMapping: '{"400":"x"}' }, 'status-code-mapping-invalid', null],
    [{ statusCodeMapping: '{"4000":"500"}' }, 'status-code-mapping-invalid', null],
    [{ paramOverride: '{"stream":true}' }, 'param-override-invalid', null],
    [{ paramOverride: '7' }, 'param-override-invalid', null],
    [{ setting: '{"force_format":"yes"}' }, 'setting-invalid', null],
    [{ setting: '{"pass_request_headers":["cookie"]}' }, 'setting-invalid', null],
    [{ setting: '{"pass_request_headers":"baggage"}' }, 'setting-invalid', null],
    [{ setting: '{"pass_response_headers":true}' }, 'setting-invalid', null],
    [{ setting: '{"pass_response_headers":["x y"]}' }, 'setting-invalid', null],
    [{ setting: '{"proxy":"http://u:p@proxy"}' }, 'setting-with-proxy', null],
    [{ priority: -1000 }, 'priority-out-of-range', '优先级必须是整数，且不小于 -999！'],
    [{ priority: 0.5 }, 'priority-out-of-range', null],
    [{ weight: -1 }, 'weight-out-of-range', '权重必须是非负整数！'],
    [{ weight: Number.NaN }, 'weight-out-of-range', null],
    [
      { models: Array.from({ length: 2000 }, (_, n) => 'm'.repeat(150) + n) },
      'terms-too-long',
      null,
    ],
  ]
  test.each(refused)(
    'given %o, when checked, then it is refused as %s',
    (some, reason, message) => {
      const problem = termsProblem(normalisedTerms({ ...TERMS, ...some }))
      expect(problem?.reason).toBe(reason)
      expect(problem?.message).toBe(message ?? problem?.message)
    },
  )

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
