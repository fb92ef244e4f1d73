import { expect, test } from 'vitest'
import { usageMembers } from './usage-members.ts'

test('given a usage object, when its members are listed, then they have the names that upstream gave them', () => {
  const usage = {
    prompt_tokens: 9,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: null },
    service_tier: 'default',
    iterations: [{ output_tokens: 4 }],
  }
  expect(usageMembers(JSON.stringify(usage))).toEqual([
    { name: 'prompt_tokens', value: 9 },
    { name: 'prompt_tokens_details.cached_tokens', value: 0 },
    { name: 'service_tier', value: 'default' },
    { name: 'iterations.0.output_tokens', value: 4 },
  ])
})

test.each(['{"prompt_tokens":9,"prompt_to', '7', 'null', ''])(
  'given %s, when its members are listed, then there are none to tell',
  (text) => {
    expect(usageMembers(text)).toBeNull()
  },
)
