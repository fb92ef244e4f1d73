import { expect, test } from 'vitest'
import {
  changedOptions,
  changedTexts,
  draftIn,
  draftOf,
  draftProblems,
  EMPTY_DRAFT,
  fieldText,
  nameProblem,
  priceChanges,
  priceMapsOf,
  suggestedDraft,
  usualCachePrice,
  withField,
} from './price-draft.ts'

const maps = priceMapsOf(
  new Map([
    ['ModelPrice', '{"dall-e-3":0.04}'],
    ['ModelRatio', '{"gpt-4o":1.25,"tiny":1e-7}'],
    ['CompletionRatio', '{"gpt-4o":4}'],
  ]),
)

test('given options, when drafted, then each field holds its number in plain decimals', () => {
  expect(draftOf('gpt-4o', maps)).toEqual({ mode: 'ratio', call: '', input: '1.25', output: '4' })
  expect(draftOf('tiny', maps).input).toBe('0.0000001')
  expect(draftOf('new', maps)).toEqual(EMPTY_DRAFT)
})

test('given ratios, when shown as prices and back, then they are the same', () => {
  const draft = draftOf('gpt-4o', maps)
  const prices = draftIn(draft, 'price', 2)
  expect(prices).toEqual({ mode: 'price', call: '', input: '2.5', output: '10' })
  expect(draftIn(prices, 'ratio', 2)).toEqual(draft)
})

test.each([
  [{ call: 'x' }, { call: 'number' }],
  [{ call: '0' }, { call: 'zero' }],
  [{ call: '-1' }, { call: 'number' }],
  [{ call: '1', input: 'x' }, {}],
  [{ input: '1,5' }, { input: 'number' }],
  [{ input: '0' }, {}],
  [{ mode: 'price', input: '0' }, { input: 'zero' }],
  [{ mode: 'price', output: '3' }, { input: 'inputMissing' }],
  [{ input: '1', output: 'y' }, { output: 'number' }],
] as const)('given the fields %j, when checked, then %j', (fields, problems) => {
  expect(draftProblems({ ...EMPTY_DRAFT, ...fields })).toEqual(problems)
})

test('given prices of a new model, when compared, then ratios are added and nothing else changes', () => {
  const drafts = new Map([
    ['new', { mode: 'price', call: '', input: '0.15', output: '0.6' } as const],
  ])
  const changes = priceChanges(drafts, maps, 2)
  expect(changes).toEqual([
    { option: 'ModelRatio', model: 'new', from: null, to: 0.075 },
    { option: 'CompletionRatio', model: 'new', from: null, to: 4 },
  ])
  expect(changedOptions(maps, changes)).toEqual([
    { key: 'ModelRatio', value: '{"gpt-4o":1.25,"tiny":1e-7,"new":0.075}' },
    { key: 'CompletionRatio', value: '{"gpt-4o":4,"new":4}' },
  ])
})

test('given a fixed price, when compared, then the ratios stay; given it emptied, then its entry goes', () => {
  const fixed = new Map([['gpt-4o', { ...draftOf('gpt-4o', maps), call: '0.1', input: '' }]])
  expect(priceChanges(fixed, maps, 2)).toEqual([
    { option: 'ModelPrice', model: 'gpt-4o', from: null, to: 0.1 },
  ])
  const emptied = new Map([['dall-e-3', EMPTY_DRAFT]])
  const changes = priceChanges(emptied, maps, 2)
  expect(changedOptions(maps, changes)).toEqual([{ key: 'ModelPrice', value: '{}' }])
})

test('given untouched drafts, when compared, then there is nothing to save', () => {
  const drafts = new Map(['gpt-4o', 'dall-e-3', 'tiny'].map((name) => [name, draftOf(name, maps)]))
  expect(priceChanges(drafts, maps, 2)).toEqual([])
  const seen = new Map([['gpt-4o', draftIn(draftOf('gpt-4o', maps), 'price', 2)]])
  expect(priceChanges(seen, maps, 2)).toEqual([])
})

test('given a model whose name is __proto__, when priced, then it is an entry like any other', () => {
  const drafts = new Map([['__proto__', { ...EMPTY_DRAFT, input: '1' }]])
  const changes = priceChanges(drafts, maps, 2)
  expect(changedOptions(maps, changes)[0]?.value).toContain('"__proto__":1')
})

test('given a name, when a model is added, then it has to be new', () => {
  const isKnown = (name: string) => name === 'gpt-4o'
  expect(nameProblem('', isKnown)).toBe('required')
  expect(nameProblem('gpt-4o', isKnown)).toBe('exists')
  expect(nameProblem('new', isKnown)).toBeNull()
})

test.each([
  [4, { input: '2', output: '8' }],
  [undefined, { input: '2', output: '2' }],
  [0, { input: '2', output: '2' }],
])('given the completion ratio %j, when a price is suggested, then it is %j', (ratio, prices) => {
  const draft = suggestedDraft(ratio, 2)
  expect(draft).toEqual({ mode: 'price', call: '', ...prices })
  const changes = priceChanges(new Map([['new', draft]]), maps, 2)
  expect(changedTexts(maps, changes)).toMatchObject({
    ModelRatio: '{"gpt-4o":1.25,"tiny":1e-7,"new":1}',
  })
})

const CACHED = priceMapsOf(
  new Map([
    ['ModelRatio', '{"claude":1.5}'],
    ['CacheRatio', '{"claude":0.1}'],
    ['CacheWriteRatio', '{"other":1}'],
  ]),
)
const of = { model: 'claude', maps: CACHED, perRatio: 2 }

test('given ratios of caches, when shown, then they are ratios or prices, and else what holds', () => {
  const draft = draftOf('claude', CACHED)
  expect(fieldText(draft, 'cacheRead', of)).toBe('0.1')
  expect(fieldText(draft, 'cacheWrite', of)).toBe('')
  expect(usualCachePrice(draft, 'cacheWrite')).toBe('1.25')
  const prices = draftIn(draft, 'price', 2)
  expect(fieldText(prices, 'cacheRead', of)).toBe('0.3')
  expect(usualCachePrice(prices, 'cacheWrite1h')).toBe('6')
  expect(usualCachePrice({ ...prices, call: '1' }, 'cacheWrite1h')).toBe('')
})

test('given another input price, when the caches were not typed in, then their ratios stay', () => {
  const dearer = withField(draftIn(draftOf('claude', CACHED), 'price', 2), 'input', '6')
  expect(fieldText(dearer, 'cacheRead', of)).toBe('0.6')
  expect(priceChanges(new Map([['claude', dearer]]), CACHED, 2)).toEqual([
    { option: 'ModelRatio', model: 'claude', from: 1.5, to: 3 },
  ])
})

test('given prices of caches, when typed in either way, then their ratios change', () => {
  const typed = withField(
    withField(draftIn(draftOf('claude', CACHED), 'price', 2), 'cacheWrite', '3.75'),
    'cacheRead',
    '',
  )
  expect(draftIn(typed, 'ratio', 2).caches).toEqual({ cacheWrite: '1.25', cacheRead: '' })
  const changes = priceChanges(new Map([['claude', typed]]), CACHED, 2)
  expect(changes).toEqual([
    { option: 'CacheRatio', model: 'claude', from: 0.1, to: null },
    { option: 'CacheWriteRatio', model: 'claude', from: null, to: 1.25 },
  ])
  expect(changedTexts(CACHED, changes)).toEqual({
    CacheRatio: '{}',
    CacheWriteRatio: '{"other":1,"claude":1.25}',
  })
  const fixed = new Map([['claude', { ...typed, call: '1' }]])
  expect(priceChanges(fixed, CACHED, 2).map(({ option }) => option)).toEqual(['ModelPrice'])
})

test('given wrong prices of caches, when checked, then the field says so', () => {
  const wrong = withField(EMPTY_DRAFT, 'cacheWrite1h', 'x')
  expect(draftProblems(wrong)).toEqual({ cacheWrite1h: 'number' })
  const alone = withField({ ...EMPTY_DRAFT, mode: 'price' }, 'cacheRead', '1')
  expect(draftProblems(alone)).toEqual({ input: 'inputMissing' })
})
