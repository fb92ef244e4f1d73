import { expect, test } from 'vitest'
import { matching, named } from './choices.ts'

const CHOICES = ['gpt-4o', 'chatgpt-4o-latest', 'o3-mini', 'GPT-4.1'].map(named)
const found = (words: string) => matching(CHOICES, words).map(({ label }) => label)

test.each([
  ['', ['gpt-4o', 'chatgpt-4o-latest', 'o3-mini', 'GPT-4.1']],
  ['gpt', ['gpt-4o', 'GPT-4.1', 'chatgpt-4o-latest']],
  [' MINI ', ['o3-mini']],
  ['claude', []],
])(
  'given %j typed, when the list is narrowed, then what begins with it comes first',
  (words, expected) => {
    expect(found(words)).toEqual(expected)
  },
)
