import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { amountOf, charge, priceAsUsed } from './charge.ts'
import type { Price, TokenPrice } from './price.ts'
import { compare, printRatio, ratio, ratioOf, sum, times } from './ratio.ts'
import { reserve } from './reserve.ts'
import type { Usage } from './usage.ts'
import { NO_USAGE } from './usage.ts'

const PRICE: TokenPrice = {
  by: 'tokens',
  bookRevision: -1,
  groupRatio: '1',
  quotaPerUnit: '500000',
  modelRatio: '1.25',
  completionRatio: '4',
  cacheRatio: '0.5',
  cacheWriteRatio: '1.25',
  audioRatio: '40',
  audioCompletionRatio: '2',
  webSearchPrice: '35',
  fileSearchPrice: '2.5',
}

const ratios = fc.integer({ min: 0, max: 40_000 }).map((n) => String(n / 1000))
const prices: fc.Arbitrary<Price> = fc.oneof(
  fc
    .record(
      {
        modelRatio: ratios,
        completionRatio: ratios,
        cacheRatio: ratios,
        groupRatio: ratios,
        cacheWrite1hRatio: ratios,
        cachedAudioRatio: ratios,
        cachedImageRatio: ratios,
        imageOutRatio: ratios,
      },
      { requiredKeys: ['modelRatio', 'completionRatio', 'cacheRatio', 'groupRatio'] },
    )
    .map((some) => ({ ...PRICE, ...some })),
  fc
    .record({ callPrice: ratios, groupRatio: ratios })
    .map((some): Price => ({ by: 'call', bookRevision: 3, quotaPerUnit: '500000', ...some })),
)
const tokens = fc.integer({ min: 0, max: 2_000_000 })
const calls = fc.integer({ min: 0, max: 20 })
const KINDS = Object.keys(NO_USAGE) as Array<keyof typeof NO_USAGE>
const LATER_KINDS = ['cacheWrite1hIn', 'cachedAudioIn', 'cachedImageIn', 'imageOut'] as const
const usages: fc.Arbitrary<Usage> = fc.record(
  {
    textIn: tokens,
    cachedIn: tokens,
    cacheWriteIn: tokens,
    audioIn: tokens,
    imageIn: tokens,
    textOut: tokens,
    audioOut: tokens,
    reasoningOut: tokens,
    webSearchCalls: calls,
    fileSearchCalls: calls,
    cacheWrite1hIn: tokens,
    cachedAudioIn: tokens,
    cachedImageIn: tokens,
    imageOut: tokens,
  },
  { requiredKeys: KINDS },
)

describe('charge', () => {
  test('given a mixed usage, when charged, then every kind has its line with factors, rate and quota', () => {
    const { amount, explanation } = charge(
      { ...PRICE, groupRatio: '0.7' },
      { ...NO_USAGE, textIn: 3, cachedIn: 1, textOut: 2, webSearchCalls: 1 },
    )
    expect(explanation.exact).toBe('12260.0625')
    expect(explanation.rounding).toBe('half-up')
    expect(amount).toBe(12_260)
    expect(
      explanation.lines.map(({ kind, count, rate, quota }) => [kind, count, rate, quota]),
    ).toEqual([
      ['text-in', 3, '0.875', '2.625'],
      ['cached-in', 1, '0.4375', '0.4375'],
      ['text-out', 2, '3.5', '7'],
      ['web-search', 1, '12250', '12250'],
    ])
    expect(explanation.lines[2]?.factors).toEqual([
      { name: 'model-ratio', value: '1.25' },
      { name: 'group-ratio', value: '0.7' },
      { name: 'completion-ratio', value: '4' },
    ])
  })

  test.each([
    ['cacheWrite1hIn', 'cacheWrite1hRatio', 'cache-write-1h', 'cacheWriteIn', 'cache-write-in'],
    ['cachedAudioIn', 'cachedAudioRatio', 'cached-audio', 'cachedIn', 'cached-in'],
    ['cachedImageIn', 'cachedImageRatio', 'cached-image', 'cachedIn', 'cached-in'],
    ['imageOut', 'imageOutRatio', 'image-out', 'textOut', 'text-out'],
  ] as const)(
    'given %s, when charged, then by its own ratio, or as text and the line says so',
    (count, own, name, textCount, text) => {
      const used = { ...NO_USAGE, [count]: 100 }
      const priced = charge({ ...PRICE, [own]: '6' }, used)
      expect(priced.amount).toBe(750)
      expect(priced.explanation.lines).toMatchObject([{ count: 100, rate: '7.5', quota: '750' }])
      expect(priced.explanation.lines[0]).not.toHaveProperty('pricedAs')
      expect(priced.explanation.lines[0]?.factors[2]).toEqual({ name: `${name}-ratio`, value: '6' })

      const unset = charge(PRICE, used)
      const asText = charge(PRICE, { ...NO_USAGE, [textCount]: 100 })
      expect(unset.amount).toBe(asText.amount)
      const kind = name === 'image-out' ? name : `${name}-in`
      expect(unset.explanation.lines).toEqual([
        { ...asText.explanation.lines[0], kind, pricedAs: text },
      ])
    },
  )

  test('given reasoning within the output, when charged, then it is counted once', () => {
    const usage = { ...NO_USAGE, textOut: 100 }
    expect(charge(PRICE, { ...usage, reasoningOut: 80 })).toEqual(charge(PRICE, usage))
  })

  test('given an exact price below half, when charged, then it costs 1 and says why', () => {
    const { amount, explanation } = charge(
      { ...PRICE, modelRatio: '0.000001' },
      { ...NO_USAGE, textIn: 1 },
    )
    expect([amount, explanation.rounding]).toEqual([1, 'minimum'])
  })

  test('given a price of zero, when charged, then it is free', () => {
    const { amount, explanation } = charge(
      { ...PRICE, groupRatio: '0' },
      { ...NO_USAGE, textIn: 9 },
    )
    expect([amount, explanation.exact, explanation.rounding]).toEqual([0, '0', 'none'])
  })

  test('given an amount beyond the safe integers, when charged, then it throws instead of losing digits', () => {
    expect(() =>
      charge({ ...PRICE, modelRatio: '1e12' }, { ...NO_USAGE, textIn: 1_000_000 }),
    ).toThrow(RangeError)
  })

  test.each([
    ['35', '2.5'],
    ['0', '60'],
  ])(
    'given searches at %s dollars in the web and %s in files, when reserved, then the dearer is covered',
    (webSearchPrice, fileSearchPrice) => {
      const price = { ...PRICE, webSearchPrice, fileSearchPrice }
      const held = reserve(price, {
        promptUpperBound: 0,
        maxOutput: 0,
        assumedOutput: 0,
        searches: 2,
      })
      for (const usage of [{ webSearchCalls: 2 }, { fileSearchCalls: 2 }]) {
        expect(amountOf(price, { ...NO_USAGE, ...usage })).toBeLessThanOrEqual(held)
      }
    },
  )

  test('given an estimate beyond all means, when reserved, then it is the most there can be', () => {
    const estimate = { promptUpperBound: 0, maxOutput: Number.MAX_SAFE_INTEGER, assumedOutput: 0 }
    expect(reserve(PRICE, estimate)).toBe(Number.MAX_SAFE_INTEGER)
  })

  test('given any price and usage, when charged, then the lines add up to the exact price and to the amount', () => {
    fc.assert(
      fc.property(prices, usages, (price, usage) => {
        const { amount, explanation } = charge(price, usage)
        const total = sum(...explanation.lines.map((line) => ratio(line.quota)))
        expect(printRatio(total)).toBe(explanation.exact)
        for (const { count, rate, quota } of explanation.lines) {
          expect(compare(times(ratioOf(count), ratio(rate)), ratio(quota))).toBe(0)
        }
        const error = sum(ratioOf(amount), times(ratio('-1'), total))
        if (explanation.rounding === 'minimum') expect(amount).toBe(1)
        else expect(Math.abs(Number(printRatio(error)))).toBeLessThanOrEqual(0.5)
        expect(amount === 0).toBe(compare(total, ratio('0')) === 0)
        expect(amountOf(price, usage)).toBe(amount)
      }),
    )
  })

  test('given any usage, when one kind grows, then the charge does not fall', () => {
    const kinds = fc.constantFrom(...KINDS, ...LATER_KINDS)
    fc.assert(
      fc.property(prices, usages, kinds, tokens, (price, usage, kind, more) => {
        const grown = { ...usage, [kind]: (usage[kind] ?? 0) + more }
        expect(amountOf(price, grown)).toBeGreaterThanOrEqual(amountOf(price, usage))
      }),
    )
  })

  test('given a text request within its limits, when charged, then it costs no more than its reserve', () => {
    fc.assert(
      fc.property(prices, tokens, tokens, tokens, tokens, (price, prompt, output, less, fewer) => {
        const estimate = { promptUpperBound: prompt, maxOutput: output, assumedOutput: 500 }
        const usage = {
          ...NO_USAGE,
          textIn: Math.min(prompt, less),
          textOut: Math.min(output, fewer),
        }
        expect(amountOf(price, usage)).toBeLessThanOrEqual(reserve(price, estimate))
      }),
    )
  })

  test('given output that may be drawn or spoken, when charged, then it costs no more than its reserve', () => {
    const kinds = fc.constantFrom('textOut', 'imageOut', 'audioOut')
    const shares = fc.array(fc.tuple(kinds, tokens), { maxLength: 4 })
    fc.assert(
      fc.property(prices, tokens, shares, (price, output, written) => {
        const estimate = { promptUpperBound: 0, maxOutput: output, assumedOutput: 0 }
        const usage = { ...NO_USAGE, imageOut: 0 }
        let left = output
        for (const [kind, count] of written) {
          const taken = Math.min(left, count)
          usage[kind] += taken
          left -= taken
        }
        const held = reserve(price, { ...estimate, maySpeak: true, mayDraw: true })
        expect(amountOf(price, usage)).toBeLessThanOrEqual(held)
      }),
    )
  })

  test('given pictures and text, when each is reserved at its own price, then they cost just that', () => {
    fc.assert(
      fc.property(prices, tokens, tokens, (price, textOut, imageOut) => {
        const estimate = {
          promptUpperBound: 0,
          maxOutput: textOut,
          assumedOutput: 0,
          imageOutput: imageOut,
        }
        const cost = amountOf(price, { ...NO_USAGE, textOut, imageOut })
        const held = reserve(price, estimate)
        expect(held - cost).toBeGreaterThanOrEqual(0)
        expect(held - cost).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('given tools that were not used, when the price is kept, then their prices are left out', () => {
    fc.assert(
      fc.property(prices, usages, (price, usage) => {
        expect(charge(priceAsUsed(price, usage), usage)).toEqual(charge(price, usage))
      }),
    )
    const { fileSearchPrice: _, ...searched } = PRICE
    const priced = { ...PRICE, cacheWrite1hRatio: '2' }
    expect(priceAsUsed(priced, { ...NO_USAGE, webSearchCalls: 1 })).toStrictEqual({
      ...searched,
      fileSearchPrice: null,
    })
    expect(priceAsUsed(priced, { ...NO_USAGE, cacheWrite1hIn: 1 })).toMatchObject({
      cacheWrite1hRatio: '2',
      webSearchPrice: null,
    })
  })
})
