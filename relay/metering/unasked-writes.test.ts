import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { expect, test } from 'vitest'
import { UnaskedWrites } from './unasked-writes.ts'

const WROTE = { ...NO_USAGE, textIn: 1, cacheWriteIn: 2_000 }

test.each([
  'gpt-5.6',
  'gpt-5.6-sol',
  'GPT-5.6-Terra',
  'openai/gpt-5.6-luna',
  'ft:gpt-5.6:org:name',
  'gpt-5.10-mini',
  'gpt-6',
  'gpt-6-mini',
  'gpt-10',
])('given %s, when asked, then its prompts may be written to a cache unasked', (model) => {
  expect(new UnaskedWrites().expects(model)).toBe(true)
})

test.each([
  'gpt-5',
  'gpt-5-mini',
  'gpt-5.5',
  'gpt-5.1-codex-max',
  'gpt-4o',
  'gpt-4.1',
  'gpt-35-turbo',
  'gpt-3.5-turbo',
  'gpt-oss-120b',
  'chatgpt-6',
  'claude-opus-4-6',
  'gemini-3-pro',
  '',
])('given %s, when asked, then its prompts are written only where that is asked for', (model) => {
  expect(new UnaskedWrites().expects(model)).toBe(false)
})

test('given another name, when it reports writes that nobody asked for, then they are expected', () => {
  const writes = new UnaskedWrites()
  writes.note({ model: 'own', cacheWrites: '5m' }, WROTE)
  writes.note({ model: 'own' }, { ...NO_USAGE, cachedIn: 5 })
  expect(writes.expects('own')).toBe(false)
  writes.note({ model: 'own' }, WROTE)
  writes.note({ model: 'hour' }, { ...NO_USAGE, cacheWrite1hIn: 1 })
  expect([writes.expects('own'), writes.expects('hour'), writes.expects('other')]).toEqual([
    true,
    true,
    false,
  ])
})

test('given a thousand models that wrote, when another does, then the oldest of them is forgotten', () => {
  const writes = new UnaskedWrites()
  for (let n = 0; n < 1_000; n += 1) writes.note({ model: `m${n}` }, WROTE)
  writes.note({ model: 'm0' }, WROTE)
  writes.note({ model: 'last' }, WROTE)
  expect(['m0', 'm1', 'm2', 'last'].map((model) => writes.expects(model))).toEqual([
    true,
    false,
    true,
    true,
  ])
})
