import { expect, test } from 'vitest'
import { searchesEveryTime } from './tool-price.ts'

test.each([
  ['gpt-4o-search-preview', true],
  ['gpt-4o-mini-search-preview-2025-03-11', true],
  ['gpt-5-search-api', true],
  ['gpt-5-search-api-2025-10-14', true],
  ['gpt-4o', false],
  ['search-preview-2', false],
])('given %s, when asked whether it searches with every request, then %s', (model, searches) => {
  expect(searchesEveryTime(model)).toBe(searches)
})
