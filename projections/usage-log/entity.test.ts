import { priceBookFrom } from '@tollgate/domain/pricing/price-book.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { expect, test } from 'vitest'
import { adminEntity, selfEntity } from './entity.ts'
import type { LogRow } from './row.ts'

const prices = priceBookFrom(
  optionsFrom([
    ['ModelPrice', '{"gpt-4-gizmo-*":0.1,"fixed":0.02}'],
    ['ModelRatio', '{"gpt-4o":1.25}'],
    ['GroupRatio', '{"default":0.5}'],
  ]),
  0,
)
const nobody = new Map<number, string>()
const notes = new Map([['n1', '误充']])
const context = { users: nobody, tokens: nobody, channels: nobody, notes, prices }
const TOKENS = {
  by: 'tokens',
  bookRevision: -1,
  groupRatio: '1',
  quotaPerUnit: '500000',
  modelRatio: '1.25',
  completionRatio: '4',
  cacheRatio: '0.5',
  cacheWriteRatio: '1.25',
  audioRatio: '20',
  audioCompletionRatio: '2',
  webSearchPrice: null,
  fileSearchPrice: null,
} as const
const CALL = {
  by: 'call',
  bookRevision: -1,
  groupRatio: '1.5',
  quotaPerUnit: '500000',
  callPrice: '0.1',
} as const

const row = (more: Partial<LogRow>): LogRow => ({
  id: 9,
  event_id: '0b0e5f0c-7f0e-4f0a-9d3c-2a1f5be0a001',
  created_at: 1,
  type: 2,
  user_id: 7,
  token_id: 3,
  channel: 4,
  model: 'gpt-4o',
  group_name: 'vip',
  quota: 5,
  prompt_tokens: 1,
  completion_tokens: 1,
  use_time: 1,
  is_stream: true,
  request_id: 'r',
  content: '',
  price_key: 1,
  price: JSON.stringify(TOKENS),
  detail: '',
  ...more,
})
const charged = (more: Partial<LogRow>, detail: object = {}) =>
  row({
    detail: JSON.stringify({
      usage: { textIn: 1, textOut: 1 },
      endpoint: '/v1/chat/completions',
      firstByteMs: 310,
      durationMs: 900,
      path: [3, 1],
      hold: 'h',
      sequence: 1,
      fromWallet: 0,
      ...detail,
    }),
    ...more,
  })
const otherOf = (text: string) => JSON.parse(text) as Record<string, unknown>

test('given a channel test, when read, then other has today’s ratios, frt and a group, for users too', () => {
  const tested = row({ token_id: 0, group_name: '', content: '模型测试', price: '', price_key: 0 })
  const told = {
    model_ratio: 1.25,
    group_ratio: 0.5,
    completion_ratio: 4,
    model_price: -1,
    frt: -1000,
  }
  const admin = adminEntity(tested, context)
  expect(admin).toMatchObject({ group: 'default', token_name: '模型测试', retry: '4' })
  expect(otherOf(admin.other)).toMatchObject({ ...told, admin_info: { use_channel: ['4'] } })
  const self = selfEntity(tested, context)
  expect(self).toMatchObject({ group: 'default', retry: '' })
  expect(otherOf(self.other)).toMatchObject(told)
  expect(self.other).not.toContain('admin_info')
})

test('given a channel test of a model without a price, when read, then other is still there', () => {
  const tested = row({ content: '模型测试', model: 'unheard-of' })
  expect(otherOf(selfEntity(tested, context).other)).toMatchObject({
    model_ratio: 37.5,
    frt: -1000,
  })
})

test('given a charge, when read, then retry is the way through the channels, for admins alone', () => {
  expect(adminEntity(charged({}), context).retry).toBe('3->1')
  expect(selfEntity(charged({}), context).retry).toBe('')
  expect(adminEntity(row({ type: 1 }), context)).toMatchObject({ retry: '', other: '' })
  expect(selfEntity(row({ type: 1 }), context)).toMatchObject({ retry: '', other: 'null' })
})

test('given a failure, when read, then it has frt and its channels', () => {
  const detail = { status: 502, errorType: 't', errorCode: 'c', path: [2], durationMs: 3 }
  const failed = row({ type: 5, content: 'no', detail: JSON.stringify(detail) })
  expect(adminEntity(failed, context).retry).toBe('2')
  expect(otherOf(selfEntity(failed, context).other)).toMatchObject({ frt: -1000, status_code: 502 })
})

test('given a failure whose attempts were noted, when read, then admins alone see how each ended', () => {
  const end = { startedAt: 990, ms: 12, status: 500, code: 'server_error', why: 'no' }
  const detail = { status: 502, errorType: 't', errorCode: 'c', path: [2], attempts: [end] }
  const failed = row({ type: 5, content: 'no', detail: JSON.stringify(detail) })
  const { startedAt, ...told } = end
  expect(otherOf(adminEntity(failed, context).other)['admin_info']).toEqual({
    use_channel: ['2'],
    attempts: [{ channel_id: 2, channel_name: '', started_at: startedAt, ...told }],
  })
  expect(otherOf(selfEntity(failed, context).other)).not.toHaveProperty('admin_info')
})

test('given a price for the call, when read, then the ratios that do not count are there as 0', () => {
  const call = charged({ price: JSON.stringify(CALL), model: 'fixed' })
  expect(otherOf(adminEntity(call, context).other)).toMatchObject({
    model_price: 0.1,
    group_ratio: 1.5,
    model_ratio: 0,
    completion_ratio: 0,
    cache_ratio: 0,
  })
})

test('given kinds that came later, when read, then the cache keys count them and the lines show them', () => {
  const usage = { cachedIn: 5, cachedAudioIn: 3, cachedImageIn: 2, cacheWriteIn: 4, imageOut: 9 }
  const plain = otherOf(adminEntity(charged({}, { usage }), context).other)
  expect(plain).toMatchObject({
    cache_tokens: 10,
    cache_creation_tokens: 4,
    cache_creation_ratio: 1.25,
    explanation: {
      lines: [
        { kind: 'cached-in', count: 5 },
        { kind: 'cached-audio-in', count: 3, pricedAs: 'cached-in' },
        { kind: 'cached-image-in', count: 2, pricedAs: 'cached-in' },
        { kind: 'cache-write-in', count: 4 },
        { kind: 'image-out', count: 9, pricedAs: 'text-out' },
      ],
    },
  })
  expect(plain).not.toHaveProperty('cache_creation_tokens_1h')
  const price = JSON.stringify({ ...TOKENS, cacheWrite1hRatio: '2' })
  const lasting = charged({ price }, { usage: { ...usage, cacheWrite1hIn: 6 } })
  expect(otherOf(adminEntity(lasting, context).other)).toMatchObject({
    cache_creation_tokens: 10,
    cache_creation_ratio: 1.25,
    cache_creation_tokens_1h: 6,
    cache_creation_ratio_1h: 2,
  })
})

test('given a charge of /v1/messages, when read, then its row says claude, with its cache writes', () => {
  const endpoint = '/v1/messages'
  const cached = charged({}, { endpoint, usage: { cacheWriteIn: 200, textIn: 100, textOut: 50 } })
  const told = { claude: true, cache_creation_tokens: 200, cache_creation_ratio: 1.25 }
  expect(otherOf(adminEntity(cached, context).other)).toMatchObject(told)
  expect(otherOf(selfEntity(cached, context).other)).toMatchObject(told)
  const plain = otherOf(adminEntity(charged({}, { endpoint }), context).other)
  expect(plain).toMatchObject({ ...told, cache_creation_tokens: 0 })
  const call = charged({ price: JSON.stringify(CALL) }, { endpoint })
  expect(otherOf(adminEntity(call, context).other)).toMatchObject({ claude: true })
  expect(otherOf(adminEntity(charged({}), context).other)).not.toHaveProperty('claude')
})

test('given audio and searches, when read, then counts and prices have the contract’s keys', () => {
  const usage = { textIn: 100, textOut: 50, audioIn: 200, audioOut: 30, webSearchCalls: 2 }
  const price = JSON.stringify({ ...TOKENS, webSearchPrice: '35', fileSearchPrice: '2.5' })
  const other = otherOf(
    adminEntity(charged({ price }, { usage: { ...usage, fileSearchCalls: 4 } }), context).other,
  )
  expect(other).toMatchObject({
    audio: true,
    audio_input: 200,
    audio_output: 30,
    text_input: 100,
    text_output: 50,
    audio_ratio: 20,
    audio_completion_ratio: 2,
    web_search: true,
    web_search_call_count: 2,
    web_search_price: 35,
    file_search: true,
    file_search_call_count: 4,
    file_search_price: 2.5,
  })
})

test.each([
  ['n1', '管理员将…，原因：误充', '误充'],
  ['erased', '管理员将…', ''],
  [null, '管理员将…', ''],
])(
  'given an edit with note %s, when read, then its text, code and params say so',
  (note, content, reason) => {
    const edit = { from: 5, to: 9, reasonCode: 'balance_edited', note }
    const edited = row({
      type: 3,
      content: '管理员将…',
      detail: JSON.stringify({ amount: 4, edit }),
    })
    const entity = selfEntity(edited, context)
    expect(entity.content).toBe(content)
    expect(otherOf(entity.other)).toEqual({
      amount: 4,
      reason,
      code: 'balance_edited',
      params: { from: 5, to: 9, reason },
    })
  },
)

test('given a custom GPT, when read, then its family is the model, and the text says which it was', () => {
  const gizmo = charged({ price: JSON.stringify(CALL), model: 'gpt-4-gizmo-g-abc' })
  expect(adminEntity(gizmo, context)).toMatchObject({
    model_name: 'gpt-4-gizmo-*',
    content: '模型价格 0.10，分组倍率 1.50，模型 gpt-4-gizmo-g-abc',
  })
  expect(adminEntity(charged({}), context).content).not.toContain('，模型 ')
})

test.each([
  ['o3-mini-high', { upstreamModel: 'o3-mini', reasoningEffort: 'high' }, false],
  ['o3-mini-low', { upstreamModel: 'o3-mini', reasoningEffort: 'low' }, false],
  ['fast', { upstreamModel: 'o3-mini', reasoningEffort: 'high' }, true],
  ['gpt-4o', { upstreamModel: 'gpt-4o-2024' }, true],
  ['gpt-4o', {}, false],
])('given %s sent as %j, when read, then mapped: %s', (model, detail, isMapped) => {
  const other = otherOf(adminEntity(charged({ model }, detail), context).other)
  expect(other['is_model_mapped']).toBe(isMapped ? true : undefined)
})
