import { expect, test } from 'vitest'
import { fillOf, marksFor, patternId } from './chart-marks.ts'

const names = (count: number) => Array.from({ length: count }, (_, index) => `model-${index}`)

test('given a name, when others are drawn beside it or before it, then it keeps its colour', () => {
  const alone = marksFor(['gpt-4o-mini']).get('gpt-4o-mini')
  for (const others of [names(40), ['o3-mini', 'text-embedding-3-small'], []]) {
    const beside = marksFor([...others, 'gpt-4o-mini']).get('gpt-4o-mini')
    expect(beside?.color).toBe(alone?.color)
  }
})

test('given names of one colour, when marked together, then the first is solid and no two look the same', () => {
  const color = (name: string) => marksFor([name]).get(name)?.color
  const alike = names(400)
    .filter((name) => color(name) === color('model-0'))
    .slice(0, 4)
  expect(alike).toHaveLength(4)
  const marks = [...marksFor(alike).values()]
  expect(marks[0]?.pattern).toBe('solid')
  expect(new Set(marks.map(patternId)).size).toBe(4)
})

test('given models that are often seen together, when marked, then each has a colour of its own', () => {
  const models = ['gpt-4o', 'gpt-4o-mini', 'gpt-4.1', 'o3-mini', 'claude-sonnet-4-20250514']
  const others = ['gemini-2.5-pro', 'deepseek-chat', 'deepseek-reasoner', 'text-embedding-3-small']
  const colors = [...marksFor([...models, ...others]).values()].map((mark) => mark.color)
  expect(new Set(colors).size).toBe(9)
})

test('given a mark, when filled, then a solid one is its colour and another its pattern', () => {
  expect(fillOf({ color: '#123456', pattern: 'solid' })).toBe('#123456')
  expect(fillOf({ color: '#123456', pattern: 'dots' })).toBe('url(#mark-dots-123456)')
})
