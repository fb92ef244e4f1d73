import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { optionsFrom } from '../settings/options.ts'
import { amountOf, charge, dearestRate, priceAsUsed } from './charge.ts'
import { findPrice, priceBookFrom } from './price-book.ts'
import {
  type AskedTerms,
  priceAsServed,
  priceToReserve,
  type ServedTerms,
  unpricedTerm,
  underTermsOf,
} from './price-factors.ts'
import type { BookPrice } from './price.ts'
import { compare, ratio } from './ratio.ts'
import { reprice } from './reprice.ts'
import { reserve } from './reserve.ts'
import { NO_USAGE, type Usage } from './usage.ts'

const FACTORS = {
  m: {
    priority: 2,
    flex: 0.5,
    fast: 6,
    geo: 1.1,
    above: { tokens: 1_000, in: 2, out: 1.5 },
  },
  discount: { flex: 0.5 },
}
const bookOf = (factors: object, revision = 1) =>
  priceBookFrom(
    optionsFrom([
      ['ModelRatio', '{"m":1.25,"discount":1,"plain":1}'],
      ['CompletionRatio', '{"m":4,"discount":2,"plain":2}'],
      ['CacheRatio', '{"m":0.1}'],
      ['ModelPrice', '{"fixed":0.1}'],
      ['GroupRatio', '{"g":1}'],
      ['PriceFactors', JSON.stringify(factors)],
    ]),
    revision,
  )
const book = bookOf(FACTORS)
function priceOf(model: string): BookPrice {
  const found = findPrice(book, { model, group: 'g', acceptsUnsetRatio: false })
  if (found.status !== 'priced') throw new Error('no price')
  return found.price
}
const UNSAID: ServedTerms = { serviceTier: null, speed: null, region: null }
const USAGE: Usage = { ...NO_USAGE, textIn: 100, textOut: 50 }
const costOf = (
  asked: AskedTerms,
  served: Partial<ServedTerms>,
  usage: Partial<Usage> = {},
  model = 'm',
): number => {
  const all = { ...USAGE, ...usage }
  return amountOf(priceAsServed(priceOf(model), asked, { ...UNSAID, ...served }, all), all)
}

// (100 + 50 × 4) × 1.25 = 375
describe('a charge under terms', () => {
  test.each<readonly [string, AskedTerms, Partial<ServedTerms>, number]>([
    ['nothing', {}, {}, 375],
    ['priority, served', { tier: 'priority' }, { serviceTier: 'priority' }, 750],
    ['priority, served as default', { tier: 'priority' }, { serviceTier: 'default' }, 375],
    ['priority, of which nothing is said', { tier: 'priority' }, {}, 750],
    ['nothing, served as priority', {}, { serviceTier: 'priority' }, 750],
    // 187.5
    ['flex, served', { tier: 'flex' }, { serviceTier: 'flex' }, 188],
    ['flex, served as default', { tier: 'flex' }, { serviceTier: 'default' }, 375],
    ['flex, of which nothing is said', { tier: 'flex' }, {}, 375],
    ['fast, served', { fast: true }, { speed: 'fast', serviceTier: 'standard' }, 2_250],
    ['fast, served as standard', { fast: true }, { speed: 'standard' }, 375],
    // 412.5
    ['a region, served', { geo: true }, { region: 'us' }, 413],
    ['a region, served anywhere', { geo: true }, { region: 'global' }, 375],
    ['nothing, at a place of Azure', {}, { region: 'East US' }, 375],
    // 375 × 6 × 1.1
    ['fast in a region', { fast: true, geo: true }, { speed: 'fast', region: 'us' }, 2_475],
  ])('given %s, when charged, then by what upstream served', (_what, asked, served, amount) => {
    expect(costOf(asked, served)).toBe(amount)
  })

  test('given a prompt beyond the threshold, when charged, then input and output have their factors', () => {
    // 1,000 tokens are not beyond it: (1000 + 200) × 1.25.
    expect(costOf({}, {}, { textIn: 1_000 })).toBe(1_500)
    // (1001 × 2 + 50 × 4 × 1.5) × 1.25 = 2877.5
    expect(costOf({}, {}, { textIn: 1_001 })).toBe(2_878)
    // Cached tokens make a prompt long, and are long-prompt tokens: (500 × 2 + 501 × 0.1 × 2 + 300) × 1.25 = 1750.25
    expect(costOf({}, {}, { textIn: 500, cachedIn: 501 })).toBe(1_750)
    // With priority both times two: 2877.5 × 2.
    expect(costOf({ tier: 'priority' }, { serviceTier: 'priority' }, { textIn: 1_001 })).toBe(5_755)
  })

  test('given searches, when charged under terms, then they keep their price', () => {
    const searched = { webSearchCalls: 2 }
    // Two searches of 27.5 US dollars a thousand: 27,500.
    expect(costOf({}, {}, searched)).toBe(375 + 27_500)
    expect(costOf({}, { serviceTier: 'priority' }, searched)).toBe(750 + 27_500)
  })

  test('given a charge under terms, when explained, then its lines name the factors and add up', () => {
    const usage = { ...USAGE, textIn: 1_001 }
    const served = { serviceTier: 'priority', speed: null, region: null }
    const price = priceAsUsed(priceAsServed(priceOf('m'), {}, served, usage), usage)
    expect(price).not.toHaveProperty('factors')
    expect(price).toMatchObject({ tierFactor: '2', longInFactor: '2', longOutFactor: '1.5' })
    expect(price).not.toHaveProperty('geoFactor')
    const { amount, explanation } = charge(price, usage)
    expect(amount).toBe(5_755)
    expect(explanation.exact).toBe('5755')
    expect(explanation.lines).toMatchObject([
      {
        kind: 'text-in',
        rate: '5',
        factors: [
          { name: 'model-ratio', value: '1.25' },
          { name: 'group-ratio', value: '1' },
          { name: 'tier-factor', value: '2' },
          { name: 'long-prompt-factor', value: '2' },
        ],
      },
      { kind: 'text-out', rate: '15' },
    ])
  })
})

describe('terms without a factor', () => {
  test.each<readonly [string, AskedTerms, string | null]>([
    ['m', { tier: 'flex', fast: true, geo: true }, null],
    ['discount', { tier: 'flex' }, null],
    ['discount', { tier: 'priority' }, 'priority'],
    ['discount', { tier: 'flex', geo: true }, 'geo'],
    ['plain', { fast: true }, 'fast'],
    ['plain', {}, null],
    ['fixed', { tier: 'priority' }, 'priority'],
  ])('given %s asked with %j, when looked up, then %s has no price', (model, asked, term) => {
    expect(unpricedTerm(priceOf(model), asked)).toBe(term)
  })
})

describe('a reserve under terms', () => {
  test('given terms, when reserved, then what makes it dearer counts, and no discount', () => {
    const estimate = { promptUpperBound: 100, maxOutput: 50, assumedOutput: 0 }
    const held = (asked: AskedTerms) => reserve(priceToReserve(priceOf('m'), asked), estimate)
    expect(held({})).toBe(375)
    expect(held({ tier: 'flex' })).toBe(375)
    expect(held({ tier: 'priority' })).toBe(750)
    expect(held({ fast: true, geo: true })).toBe(2_475)
    // (1001 × 2 + 50 × 4 × 1.5) × 1.25 = 2877.5, up
    expect(reserve(priceOf('m'), { ...estimate, promptUpperBound: 1_001 })).toBe(2_878)
  })

  test.each([
    // (100 × 1.25 + 50 × 4) × 1.25 = 406.25, up
    ['5m', 100, 407],
    // (100 × 2 + 50 × 4) × 1.25
    ['1h', 100, 500],
    // (1001 × 2 × 2 + 50 × 4 × 1.5) × 1.25 = 5380
    ['1h', 1_001, 5_380],
  ] as const)(
    'given a cache for %s, when %s tokens may be written to it, then %s is held',
    (...row) => {
      const [lifetime, promptUpperBound, held] = row
      const price = priceToReserve(priceOf('m'), {}, lifetime)
      expect(reserve(price, { promptUpperBound, maxOutput: 50, assumedOutput: 0 })).toBe(held)
      expect(priceToReserve(priceOf('m'), {}, lifetime)).toBe(price)
      const writes = lifetime === '1h' ? 'cacheWrite1hIn' : 'cacheWriteIn'
      const usage = { ...NO_USAGE, [writes]: promptUpperBound, textOut: 50 }
      const served = { serviceTier: null, speed: null, region: null }
      const cost = amountOf(priceAsServed(priceOf('m'), {}, served, usage), usage)
      expect(cost).toBeLessThanOrEqual(held)
      expect(priceAsUsed(price, usage)).not.toHaveProperty('writeFactor')
    },
  )

  const counts = fc.integer({ min: 0, max: 3_000 })
  const askedTerms = fc.record(
    {
      tier: fc.constantFrom('priority' as const, 'flex' as const),
      fast: fc.constant(true as const),
      geo: fc.constant(true as const),
    },
    { requiredKeys: [] },
  )

  test('given any terms asked and served, when within its limits, then the charge is within the reserve', () => {
    fc.assert(
      fc.property(counts, counts, counts, askedTerms, (textIn, cachedIn, textOut, asked) => {
        const usage = { ...NO_USAGE, textIn, cachedIn, textOut }
        const price = priceOf('m')
        const held = reserve(priceToReserve(price, asked), {
          promptUpperBound: textIn + cachedIn,
          maxOutput: textOut,
          assumedOutput: 0,
        })
        for (const tier of [null, 'default', asked.tier ?? null]) {
          for (const speed of [null, 'standard', asked.fast === true ? 'fast' : null]) {
            for (const region of [null, 'global', asked.geo === true ? 'us' : null]) {
              const served = { serviceTier: tier, speed, region }
              expect(
                amountOf(priceAsServed(price, asked, served, usage), usage),
              ).toBeLessThanOrEqual(held)
            }
          }
        }
      }),
    )
  })

  test('given a price with factors, when its dearest token is asked for, then all above 1 count', () => {
    // Dear enough to be beyond the price of a search.
    const dear = { ...priceOf('m'), modelRatio: '1000000' } as BookPrice
    // Output: 1,000,000 × 4 × 2 × 6 × 1.1 × 1.5
    expect(compare(dearestRate(dear), ratio('79200000'))).toBe(0)
  })
})

describe('a charge under terms at other prices', () => {
  const usage = { ...USAGE, textIn: 1_001 }
  const served = { serviceTier: 'flex', speed: null, region: null }
  const charged = priceAsUsed(priceAsServed(priceOf('m'), { tier: 'flex' }, served, usage), usage)

  test('given its own book, when repeated, then it is the same price', () => {
    const again = underTermsOf(charged, priceOf('m'), priceOf('m'))(usage)
    expect(priceAsUsed(again, usage)).toEqual(charged)
  })

  test('given another book, when repriced, then by its factor of the same tier and its threshold', () => {
    // (1001 × 2 + 300) × 1.25 × 0.5 = 1438.75
    const amount = amountOf(charged, usage)
    expect(amount).toBe(1_439)
    const past = { amount, model: 'm', group: 'g', usage, price: charged }
    // (1001 + 200) × 1.25 × 0.8 = 1201
    expect(reprice(past, book, bookOf({ m: { flex: 0.8 } }, 2)).amount).toBe(1_201)
    // A book without factors: (1001 + 200) × 1.25 = 1501.25
    expect(reprice(past, book, bookOf({}, 2)).amount).toBe(1_501)
    expect(reprice(past, book, bookOf(FACTORS, 2)).amount).toBe(1_439)
  })
})
