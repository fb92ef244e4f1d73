import { expect, test } from 'vitest'
import { type LoggedEvent, rowOf } from './row.ts'
import { DEFAULTS } from './settings.ts'

const tested = (more: { readonly succeeded?: boolean; readonly testedBy?: number | null }) => {
  const event: LoggedEvent = {
    id: '0b0e5f0c-7f0e-4f0a-9d3c-2a1f5be0a002',
    type: 'ChannelTested',
    stream: 'channel-4',
    revision: 1,
    position: 9,
    metadata: { actor: 'system' },
    data: {
      at: 1_000,
      model: 'gpt-4o',
      succeeded: true,
      durationMs: 1_600,
      error: '',
      promptTokens: 8,
      completionTokens: null,
      testedBy: 3,
      ...more,
    },
  }
  return event
}

test('given a test of a channel that passed, when logged, then it is a row of type 2 that charges nobody', () => {
  expect(rowOf(tested({}), DEFAULTS)).toMatchObject({
    type: 2,
    user_id: 3,
    token_id: 0,
    channel: 4,
    model: 'gpt-4o',
    quota: 0,
    prompt_tokens: 8,
    completion_tokens: 0,
    use_time: 2,
    content: '模型测试',
  })
})

test('given a test that nobody asked for, when logged, then it is the first user who has the row', () => {
  expect(rowOf(tested({ testedBy: null }), DEFAULTS)?.user_id).toBe(1)
})

test('given a test that failed, or consumption that is not logged, when logged, then there is no row', () => {
  expect(rowOf(tested({ succeeded: false }), DEFAULTS)).toBeNull()
  expect(rowOf(tested({}), { ...DEFAULTS, logsConsumption: false })).toBeNull()
})
