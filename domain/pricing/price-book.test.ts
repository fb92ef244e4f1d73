import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { optionsFrom } from '../settings/options.ts'
import { amountOf, priceAsUsed } from './charge.ts'
import type { TokenPrice } from './price.ts'
import type { PriceBook, PriceQuestion } from './price-book.ts'
import { completionRatio, findPrice, groupRatio, hasPrice, priceBookFrom } from './price-book.ts'
import { parseRatio } from './ratio.ts'
import { priceToReserve } from './price-factors.ts'
import { reprice } from './reprice.ts'
import { NO_USAGE } from './usage.ts'

const DEFAULTS = priceBookFrom(optionsFrom([]), -1)

const bookOf = (tables: Readonly<Record<string, unknown>>, revision = 4): PriceBook =>
  priceBookFrom(
    optionsFrom(Object.entries(tables).map(([key, table]) => [key, JSON.stringify(table)])),
    revision,
  )

const ask = (book: PriceBook, model: string, some: Partial<PriceQuestion> = {}) =>
  findPrice(book, { model, group: 'default', acceptsUnsetRatio: false, ...some })

function tokenPrice(book: PriceBook, model: string, some: Partial<PriceQuestion> = {}): TokenPrice {
  const answer = ask(book, model, some)
  if (answer.status !== 'priced' || answer.price.by !== 'tokens') throw new Error(model)
  return answer.price
}

describe('finding a price', () => {
  test('given a model with a ratio, when asked, then all its ratios are frozen as decimal texts', () => {
    expect(ask(DEFAULTS, 'gpt-4o')).toEqual({
      status: 'priced',
      price: {
        by: 'tokens',
        bookRevision: -1,
        groupRatio: '1',
        quotaPerUnit: '500000',
        modelRatio: '1.25',
        completionRatio: '4',
        cacheRatio: '0.5',
        cacheWriteRatio: '1.25',
        cacheWrite1hRatio: '2',
        audioRatio: '1',
        audioCompletionRatio: '4',
        webSearchPrice: '35',
        fileSearchPrice: '2.5',
      },
    })
  })

  test('given a price per call, even 0, when asked, then it beats the ratio', () => {
    const book = bookOf({
      ModelPrice: { m: 0 },
      ModelRatio: { m: 3 },
      GroupRatio: { default: 0.5 },
    })
    expect(ask(book, 'm')).toEqual({
      status: 'priced',
      price: {
        by: 'call',
        bookRevision: 4,
        groupRatio: '0.5',
        quotaPerUnit: '500000',
        callPrice: '0',
      },
    })
  })

  test('given neither price nor ratio, when asked, then refused unless the mode or the user accepts it', () => {
    const unset = { status: 'rejected', rejection: 'model-price-unset' }
    expect(ask(DEFAULTS, 'no-such-model')).toEqual(unset)
    expect(ask(DEFAULTS, 'toString')).toEqual(unset)
    expect(ask(DEFAULTS, '')).toEqual(unset)
    expect(tokenPrice(DEFAULTS, 'no-such-model', { acceptsUnsetRatio: true }).modelRatio).toBe(
      '37.5',
    )
    const selfUse = priceBookFrom(optionsFrom([['SelfUseModeEnabled', 'true']]), -1)
    expect(tokenPrice(selfUse, 'no-such-model').modelRatio).toBe('37.5')
    expect(hasPrice(selfUse, 'no-such-model')).toBe(false)
    expect(hasPrice(DEFAULTS, 'gpt-4o') && hasPrice(DEFAULTS, 'mj_imagine')).toBe(true)
  })

  test('given a ratio of 0, when asked, then the model is free, not unset', () => {
    expect(tokenPrice(DEFAULTS, 'glm-4-flash').modelRatio).toBe('0')
  })

  test('given custom GPTs, when asked, then the family is priced, unless one has an entry of its own', () => {
    const book = bookOf({
      ModelPrice: {},
      ModelRatio: { 'gpt-4-gizmo-*': 15, 'gpt-4o-gizmo-*': 2.5, 'gpt-4-gizmo-g-own': 7 },
    })
    expect(tokenPrice(book, 'gpt-4-gizmo-g-abc')).toMatchObject({
      modelRatio: '15',
      completionRatio: '2',
    })
    expect(tokenPrice(book, 'gpt-4o-gizmo-g-abc')).toMatchObject({
      modelRatio: '2.5',
      completionRatio: '3',
    })
    expect(tokenPrice(book, 'gpt-4-gizmo-g-own').modelRatio).toBe('7')
  })

  test('given a group without a ratio, when asked, then it counts 1', () => {
    const book = bookOf({ GroupRatio: { vip: 0.8, free: 0 } })
    expect([groupRatio(book, 'vip'), groupRatio(book, 'free'), groupRatio(book, 'x')]).toEqual([
      '0.8',
      '0',
      '1',
    ])
  })

  test('given cache tables, when asked, then reading costs what is configured, else 1, and writing 1.25', () => {
    const book = bookOf({ ModelRatio: { a: 1, b: 1 }, CacheRatio: { a: 0.1 } })
    expect(tokenPrice(book, 'a')).toMatchObject({ cacheRatio: '0.1', cacheWriteRatio: '1.25' })
    expect(tokenPrice(book, 'b')).toMatchObject({ cacheRatio: '1', cacheWriteRatio: '1.25' })
  })

  test.each([
    ['CacheWriteRatio', 'cacheWriteRatio', 'cacheWriteIn', 3, 3_000, '1.25'],
    ['CacheWriteRatio', 'cacheWriteRatio', 'cacheWriteIn', 0, 0, '1.25'],
    ['CacheWrite1hRatio', 'cacheWrite1hRatio', 'cacheWrite1hIn', 4, 4_000, '2'],
  ] as const)(
    'given an entry in %s, when charged, then %s is it and others have the built-in one',
    (key, member, kind, ratio, amount, builtIn) => {
      const book = bookOf({ ModelRatio: { a: 1, b: 1 }, [key]: { a: ratio } })
      const usage = { ...NO_USAGE, [kind]: 1_000 }
      expect(tokenPrice(book, 'a')[member]).toBe(String(ratio))
      expect(amountOf(tokenPrice(book, 'a'), usage)).toBe(amount)
      expect(tokenPrice(book, 'b')[member]).toBe(builtIn)
      const past = { model: 'a', group: 'default', usage, price: tokenPrice(book, 'b') }
      expect(reprice({ ...past, amount: amountOf(past.price, usage) }, book, book).amount).toBe(
        amount,
      )
    },
  )

  test('given ratios for cache writes, when a request asks for a cache, then its reserve has them', () => {
    const ratios = { CacheWriteRatio: { a: 3 }, CacheWrite1hRatio: { a: 4 } }
    const price = tokenPrice(bookOf({ ModelRatio: { a: 1 }, ...ratios }), 'a')
    expect(priceToReserve(price, {}, '5m')).toMatchObject({ writeFactor: '3' })
    expect(priceToReserve(price, {}, '1h')).toMatchObject({ writeFactor: '4' })
  })

  test.each([
    ['gpt-4o', 'low', '30'],
    ['gpt-4.1', 'high', '50'],
    ['gpt-4o-mini', 'medium', '27.5'],
    ['gpt-4.1-mini', 'low', '25'],
    ['o3', 'high', '30'],
    ['gemini-2.5-flash', 'high', '35'],
    ['gemini-3-pro', 'low', '14'],
    ['gemini-flash-latest', 'medium', '14'],
    ['gemini-pro-latest', 'medium', '14'],
    ['gemini-pro', 'medium', '35'],
    ['gemini-pro-vision', 'medium', '35'],
    ['gemini-1.0-pro', 'medium', '35'],
  ] as const)(
    'given a web search by %s with %s context, when asked, then it costs %s',
    (model, webSearchContext, price) => {
      const book = bookOf({ ModelRatio: { [model]: 1 } })
      expect(tokenPrice(book, model, { webSearchContext }).webSearchPrice).toBe(price)
    },
  )

  test('given prices of tools, when asked, then those without an entry keep their default', () => {
    const ratios = { 'claude-x': 1, 'gpt-4o': 1, 'gpt-5': 1 }
    const tools = { web_search_claude: 12.5, web_search_low: 0, file_search: 3 }
    const book = bookOf({ ModelRatio: ratios, ToolPrices: tools })
    const searched = { webSearchContext: 'low' } as const
    const pricesOf = (model: string): unknown => tokenPrice(book, model, searched)
    expect(pricesOf('claude-x')).toMatchObject({ webSearchPrice: '12.5', fileSearchPrice: '3' })
    expect(pricesOf('gpt-4o')).toMatchObject({ webSearchPrice: '30' })
    expect(pricesOf('gpt-5')).toMatchObject({ webSearchPrice: '0' })
  })

  test.each([
    // Two web searches and three file searches, which cost 2.5 US dollars a thousand where nothing else is said.
    ['gpt-5', 'medium', { web_search_medium: 10, file_search: 4 }, 10_000 + 6_000],
    ['gpt-5', 'low', { web_search_low: 10 }, 10_000 + 3_750],
    ['gpt-4o', 'high', { web_search_large_high: 10 }, 10_000 + 3_750],
    ['claude-x', 'high', { web_search_claude: 20 }, 20_000 + 3_750],
    ['grok-4.3', 'high', {}, 5_000 + 3_750],
    ['gpt-5', 'low', { web_search_medium: 10 }, 25_000 + 3_750],
  ] as const)(
    'given searches by %s with %s context, when repriced at %j, then at that price',
    (model, webSearchContext, tools, amount) => {
      const ratios = { ModelRatio: { [model]: 1 } }
      const before = bookOf(ratios)
      const usage = { ...NO_USAGE, webSearchCalls: 2, fileSearchCalls: 3 }
      const price = priceAsUsed(tokenPrice(before, model, { webSearchContext }), usage)
      const past = { amount: amountOf(price, usage), model, group: 'default', usage, price }
      expect(reprice(past, before, before).amount).toBe(past.amount)
      expect(reprice(past, before, bookOf({ ...ratios, ToolPrices: tools })).amount).toBe(amount)
    },
  )

  test.each([
    ['gpt-4o-realtime-preview-2024-12-17', '8'],
    ['gpt-4o-realtime-preview', '20'],
    ['gpt-4o-mini-realtime-preview', '16.666666666666668'],
    ['gpt-4o-audio-preview-2024-12-17', '16'],
    ['gpt-4o-audio-preview', '40'],
    ['gpt-4o-mini-audio-preview', '66.66666666666667'],
    ['gpt-4o-mini-tts', '20'],
    ['gpt-4o-transcribe', '20'],
  ])('given audio of %s, when asked, then its ratio is %s', (model, ratio) => {
    const price = tokenPrice(bookOf({ ModelRatio: { [model]: 1 } }), model)
    expect(price.audioRatio).toBe(ratio)
    expect(price.audioCompletionRatio).toBe('2')
  })

  test.each([
    ['neither', {}, {}, { audioRatio: '40', audioCompletionRatio: '2' }],
    ['both', { m: 12.8 }, { m: 3 }, { audioRatio: '12.8', audioCompletionRatio: '3' }],
    ['that of output alone', {}, { m: 3 }, { audioRatio: '40', audioCompletionRatio: '3' }],
    ['0, which is free', { m: 0 }, {}, { audioRatio: '0', audioCompletionRatio: '2' }],
  ])('given audio with a ratio of %s in the book, when asked, then it beats the name', (...row) => {
    const [, audio, completion, ratios] = row
    const model = 'gpt-audio'
    const named = (table: { m?: number }) => ('m' in table ? { [model]: table.m } : {})
    const tables = { AudioRatio: named(audio), AudioCompletionRatio: named(completion) }
    const book = bookOf({ ModelRatio: { [model]: 1 }, ...tables })
    expect(tokenPrice(book, model)).toMatchObject(ratios)
  })

  test('given a ratio for audio of a model that has no rule, when asked, then output costs twice as much', () => {
    const book = bookOf({ ModelRatio: { omni: 1 }, AudioRatio: { omni: 5 } })
    const ratios = { audioRatio: '5', audioCompletionRatio: '2' }
    expect(tokenPrice(book, 'omni')).toMatchObject(ratios)
  })

  test.each([
    ['CachedAudioRatio', 'cachedAudioRatio', 'cachedAudioIn', 0.3, 300],
    ['CachedImageRatio', 'cachedImageRatio', 'cachedImageIn', 0, 0],
    ['ImageOutRatio', 'imageOutRatio', 'imageOut', 100, 100_000],
  ] as const)(
    'given an entry in %s, when charged, then that kind costs by it and other models as text',
    (key, member, kind, ratio, amount) => {
      const book = bookOf({ ModelRatio: { a: 1, 'gpt-4o': 1 }, [key]: { a: ratio } })
      const usage = { ...NO_USAGE, [kind]: 1_000 }
      expect(tokenPrice(book, 'a')[member]).toBe(String(ratio))
      expect(amountOf(tokenPrice(book, 'a'), usage)).toBe(amount)
      expect(tokenPrice(book, 'gpt-4o')).not.toHaveProperty(member)
      const past = { model: 'a', group: 'default', usage, price: tokenPrice(DEFAULTS, 'gpt-4o') }
      expect(reprice({ ...past, amount: amountOf(past.price, usage) }, DEFAULTS, book).amount).toBe(
        amount,
      )
    },
  )

  test.each(['gpt-4o', 'gemini-2.0-flash', 'qwen-omni-turbo', 'audio', 'anything-else'])(
    'given audio of %s, whose name says nothing of audio, when charged, then it costs as text',
    (model) => {
      const price = tokenPrice(bookOf({ ModelRatio: { [model]: 3 } }), model)
      const spoken = { ...NO_USAGE, audioIn: 1_000, audioOut: 700 }
      const written = { ...NO_USAGE, textIn: 1_000, textOut: 700 }
      expect(amountOf(price, spoken)).toBe(amountOf(price, written))
    },
  )

  test('given stored tables with entries that are no ratios, when asked, then those count as unset', () => {
    const book = bookOf({ ModelRatio: { a: '1', b: -1, c: null, d: 2 }, QuotaPerUnit: 1000 })
    expect(['a', 'b', 'c', 'd'].map((model) => hasPrice(book, model))).toEqual([
      false,
      false,
      false,
      true,
    ])
    expect(book.quotaPerUnit).toBe('1000')
  })

  test('given any name and group, when asked, then every ratio of the price is a decimal number', () => {
    const models = fc.oneof(fc.string(), fc.constantFrom(...DEFAULTS.modelRatios.keys()))
    fc.assert(
      fc.property(models, fc.string(), (model, group) => {
        const answer = ask(DEFAULTS, model, { group, acceptsUnsetRatio: true })
        const { by, bookRevision, ...ratios } =
          answer.status === 'priced' ? answer.price : { by: '', bookRevision: 0 }
        expect([by === '', bookRevision]).toEqual([false, -1])
        expect(ratios).not.toHaveProperty('factors')
        const broken = Object.entries(ratios).filter(
          ([, text]) => typeof text !== 'string' || parseRatio(text) === null,
        )
        expect(broken).toEqual([])
      }),
    )
  })
})

describe('completion ratios', () => {
  test.each([
    ['gpt-4o-2024-05-13', '3'],
    ['gpt-4o-mini', '4'],
    ['gpt-4o-all', '1'],
    ['gpt-4.5-preview-2025-02-27', '2'],
    ['gpt-4-turbo-2024-04-09', '3'],
    ['gpt-4-1106-preview', '2'],
    ['gpt-4-32k', '2'],
    ['gpt-4-all', '2'],
    ['gpt-4-gizmo-g-abc', '2'],
    ['o1-mini', '4'],
    ['o3-mini-high', '4'],
    ['chatgpt-4o-latest', '3'],
    ['claude-instant-1.2', '3'],
    ['claude-2.1', '3'],
    ['anthropic/claude-3-opus', '5'],
    ['claude-3-7-sonnet-20250219', '5'],
    ['gpt-3.5-turbo', '3'],
    ['gpt-3.5-turbo-0125', '3'],
    ['gpt-3.5-turbo-1106', '2'],
    ['gpt-3.5-turbo-16k', '1.3333333333333333'],
    ['mistral-large', '3'],
    ['gemini-1.5-pro', '4'],
    ['gemini-2.0-flash', '4'],
    ['gemini-2.5-pro-preview-03-25', '8'],
    ['gemini-exp-1206', '4'],
    ['command-r', '3'],
    ['command-r-plus', '5'],
    ['command-r-08-2024', '4'],
    ['command-light', '4'],
    ['DeepSeek-Chat', '4'],
    ['deepseek-reasoner', '4'],
    ['ERNIE-Speed-128K', '2'],
    ['ERNIE-Lite-8K-0922', '2'],
    ['ERNIE-4.0-8K', '1'],
    ['llama2-70b-4096', '1.25'],
    ['llama3-8b-8192', '2'],
    ['llama3-70b-8192', '1.3389830508474578'],
    ['something-new', '1'],
  ])('given %s without an entry, when asked, then the built-in rule says %s', (model, ratio) => {
    expect(completionRatio(DEFAULTS, model)).toBe(ratio)
  })

  test('given an entry for a name that has a built-in rule, when asked, then the entry wins', () => {
    const book = bookOf({ CompletionRatio: { 'gpt-4o': 1.5, 'deepseek-chat': 0, 'x/y': 7 } })
    expect(completionRatio(book, 'gpt-4o')).toBe('1.5')
    expect(completionRatio(book, 'deepseek-chat')).toBe('0')
    expect(completionRatio(book, 'x/y')).toBe('7')
    expect(completionRatio(book, 'gpt-4o-mini')).toBe('4')
  })
})
