import { expect, test } from 'vitest'
import { choiceOf, matching, named } from './choices.ts'

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

test.each([
  ['ann', '7'],
  ['7', '7'],
  ['7 ann', '7'],
  ['other', '9'],
  // Several fit, or a number is only part of a name: nothing is chosen.
  ['an', null],
  ['2', null],
])('given ids with names, when %j is entered, then the choice is %j', (words, expected) => {
  const choices = [
    { value: '7', label: '7 ann' },
    { value: '8', label: '8 anna' },
    { value: '9', label: '9 other-2' },
  ]
  expect(choiceOf(choices, words)).toBe(expected)
})
