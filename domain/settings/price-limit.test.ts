import { expect, test } from 'vitest'
import { optionsFrom } from './options.ts'
import { pricesBeyondLimit } from './price-limit.ts'

const optionsOf = (texts: Readonly<Record<string, string>>) => optionsFrom(Object.entries(texts))
const NONE = optionsFrom([])
const DEAR = { ModelRatio: '{"m":1000000000}', CompletionRatio: '{"m":100000000}' }

test('given prices that can be charged, when they are held against the limit, then they stand', () => {
  expect(pricesBeyondLimit(NONE, optionsOf({ ModelRatio: '{"m":2}' }), 'x')).toBeNull()
})

test('given ratios whose product is too high, when they are new, then the first model is named', () => {
  expect(pricesBeyondLimit(NONE, optionsOf(DEAR), 'ModelRatio')).toBe(
    'ModelRatio 的值过大：m 的各项倍率、价格与分组倍率相乘后超过上限 9007199254740991，请调低',
  )
})

test('given a product too high before, when others are saved, then they stand, and new ones do not', () => {
  const present = optionsOf(DEAR)
  const same = optionsOf({ ...DEAR, ModelRatio: '{"m":1000000000,"other":1}' })
  expect(pricesBeyondLimit(present, same, 'x')).toBeNull()
  const worse = optionsOf({
    ModelRatio: '{"m":1000000000,"other":1000000000}',
    CompletionRatio: '{"m":100000000,"other":100000000}',
  })
  expect(pricesBeyondLimit(present, worse, 'x')).toContain('x 的值过大：other ')
})

test('given groups, when prices are held against the limit, then the dearest of them counts', () => {
  const ratios = { ModelRatio: '{"m":1000000000}', CompletionRatio: '{"m":9000000}' }
  const fine = optionsOf({ ...ratios, GroupRatio: '{"default":1,"low":0.5}' })
  const dear = optionsOf({ ...ratios, GroupRatio: '{"default":1,"vip":1.1,"low":0.5}' })
  expect(pricesBeyondLimit(NONE, fine, 'x')).toBeNull()
  expect(pricesBeyondLimit(NONE, dear, 'x')).toContain('m ')
})

test.each([
  ['AudioRatio', 'AudioCompletionRatio'],
  ['CacheWriteRatio', 'CacheWrite1hRatio'],
  ['CacheWrite1hRatio', 'CacheWriteRatio'],
  ['AudioRatio', 'CachedAudioRatio'],
  ['CachedAudioRatio', 'ImageOutRatio'],
  ['ImageOutRatio', 'CachedImageRatio'],
  ['CachedImageRatio', 'AudioRatio'],
])(
  'given %s beyond the limit, when held against it, then it is refused whatever %s is',
  (key, other) => {
    const dear = { ModelRatio: '{"m":1000000000}', [key]: '{"m":10000000}', [other]: '{"n":2}' }
    expect(pricesBeyondLimit(NONE, optionsOf(dear), key)).toContain(`${key} 的值过大：m `)
    const { ModelRatio: _, ...unset } = dear
    expect(
      pricesBeyondLimit(NONE, optionsOf({ ...unset, [key]: '{"m":1000000000}' }), key),
    ).toBeNull()
  },
)

test('given ratios of a model without a model ratio, when self-use would price it, then the limit holds', () => {
  const dear = { AudioRatio: '{"m":1000000000}', AudioCompletionRatio: '{"m":1000000000}' }
  expect(pricesBeyondLimit(NONE, optionsOf(dear), 'AudioRatio')).toContain('m ')
})
