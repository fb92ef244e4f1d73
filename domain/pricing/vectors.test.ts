import { describe, expect, test } from 'vitest'
import { optionsFrom } from '../settings/options.ts'
import { amountOf, charge, isNothing } from './charge.ts'
import { imagePrice } from './image-price.ts'
import type { Price } from './price.ts'
import { findPrice, priceBookFrom } from './price-book.ts'
import { reserve } from './reserve.ts'
import type { Usage } from './usage.ts'
import { NO_USAGE } from './usage.ts'

/**
 * The vectors of relay-and-billing 4.12 as decision 1 corrects them: exact, half up, never free unless the ratio is 0.
 * 26 to 28 are about log rows and counts of tokens; here stands what those tokens cost.
 */
function priceOf(model: string, group = 1, modelRatio?: number): Price {
  const options = optionsFrom([
    ['GroupRatio', JSON.stringify({ tested: group })],
    ...(modelRatio === undefined
      ? []
      : [['ModelRatio', JSON.stringify({ [model]: modelRatio })] as const]),
  ])
  const answer = findPrice(priceBookFrom(options, -1), {
    model,
    group: 'tested',
    acceptsUnsetRatio: false,
  })
  if (answer.status === 'rejected') throw new Error(`${model}: ${answer.rejection}`)
  return answer.price
}

const text = (textIn: number, textOut = 0): Partial<Usage> => ({ textIn, textOut })
const audio = { textIn: 100, textOut: 50, audioIn: 200, audioOut: 30 }

const HOUR_WRITES = { textIn: 100, cachedIn: 1000, cacheWrite1hIn: 200, textOut: 50 }

describe('vectors of the charge', () => {
  const vectors: ReadonlyArray<readonly [string, Price, Partial<Usage>, number]> = [
    ['1', priceOf('gpt-4o'), text(1000, 500), 3750],
    ['2', priceOf('gpt-4o'), { textIn: 400, cachedIn: 600, textOut: 500 }, 3375],
    ['3a', priceOf('gpt-4o-mini'), text(3), 1],
    ['3b', priceOf('gpt-4o-mini'), text(6), 1],
    ['3c', priceOf('gpt-4o-mini'), text(7), 1],
    ['4a', priceOf('gpt-3.5-turbo-1106'), text(1), 1],
    ['4b', priceOf('gpt-3.5-turbo-1106'), text(3), 2],
    ['5', priceOf('gpt-4o', 0.5), text(101), 63],
    ['6', priceOf('glm-4-flash'), text(123_456, 7), 0],
    ['7', priceOf('gpt-4-gizmo-g-abc', 1.5), text(10, 1), 75_000],
    [
      '8',
      priceOf('claude-3-5-sonnet-20241022'),
      { textIn: 100, cachedIn: 1000, cacheWriteIn: 200, textOut: 50 },
      1050,
    ],
    ['9', priceOf('claude-3-5-sonnet-20241022', 0.7), text(180), 189],
    ['10', priceOf('claude-3-5-sonnet-20241022'), { textIn: 10, cachedIn: 1000, textOut: 20 }, 315],
    ['13a', priceOf('tts-1'), text(5), 38],
    ['13b', priceOf('tts-1'), text(1000), 7500],
    ['14', priceOf('whisper-1'), text(1033), 15_495],
    ['15a', priceOf('text-embedding-3-small'), text(120), 1],
    ['15b', priceOf('text-embedding-3-small'), text(30), 1],
    ['15c', priceOf('text-embedding-3-small'), text(50), 1],
    ['16', priceOf('gpt-4o-audio-preview'), audio, 13_375],
    ['17a', priceOf('gpt-4o-realtime-preview'), audio, 13_750],
    ['17b', priceOf('gpt-4o-realtime-preview-2024-12-17', 1, 2.5), audio, 5950],
    ['18a', priceOf('mj_imagine'), {}, 50_000],
    ['18b', priceOf('mj_describe'), {}, 25_000],
    ['18c', priceOf('suno_lyrics'), {}, 5000],
    ['19', priceOf('mj_imagine', 1.15), {}, 57_500],
    ['20, settled', priceOf('gpt-4o'), text(200, 100), 750],
    ['24', priceOf('ERNIE-4.0-8K'), text(1000, 500), 12_329],
    ['25', priceOf('gpt-3.5-turbo-16k'), text(100, 50), 250],
    ['26, were it charged', priceOf('gpt-4o'), text(9, 3), 26],
    ['27, an image of 765 tokens', priceOf('gpt-4o'), { imageIn: 765 }, 956],
    [
      '28, a minute each way',
      priceOf('gpt-4o-realtime-preview'),
      { audioIn: 1666, audioOut: 833 },
      166_600,
    ],
    ['8 kept for an hour', priceOf('claude-3-5-sonnet-20241022'), HOUR_WRITES, 1275],
    ['cached audio as cached text', priceOf('gpt-4o'), { cachedAudioIn: 600 }, 375],
    ['cached images as cached text', priceOf('gpt-4o'), { cachedImageIn: 600 }, 375],
    ['images written as text', priceOf('gpt-4o'), { imageOut: 100 }, 500],
    ['web search, 2 medium', priceOf('gpt-4o'), { webSearchCalls: 2 }, 35_000],
    ['file search, 4', priceOf('gpt-4o'), { fileSearchCalls: 4 }, 5000],
  ]

  test.each(vectors)(
    'given vector %s, when charged, then the amount is right',
    (_, price, used, amount) => {
      const usage = { ...NO_USAGE, ...used }
      expect(charge(price, usage).amount).toBe(amount)
      expect(amountOf(price, usage)).toBe(amount)
    },
  )

  const image = { model: 'dall-e-3', size: '1024x1024', quality: 'standard', n: 1 }
  test.each([
    ['11a', priceOf('dall-e-3'), image, 20_000],
    ['11b', priceOf('dall-e-3'), { ...image, quality: 'hd' }, 40_000],
    ['11c', priceOf('dall-e-3'), { ...image, size: '1792x1024', quality: 'hd', n: 2 }, 120_000],
    ['12', priceOf('an-image-model', 1, 16), { ...image, model: 'an-image-model' }, 20_000],
    ['256x256', priceOf('dall-e-2', 1, 8), { ...image, model: 'dall-e-2', size: '256x256' }, 4000],
  ])(
    'given image vector %s, when reserved and charged, then both are the same',
    (_, price, request, amount) => {
      const priced = imagePrice(price, request)
      const estimate = { promptUpperBound: 0, maxOutput: null, assumedOutput: 500 }
      expect(reserve(priced, estimate)).toBe(amount)
      expect(charge(priced, NO_USAGE).amount).toBe(amount)
    },
  )

  test('given vectors 7 and 23 with no tokens reported, when asked, then there is nothing to charge', () => {
    expect(isNothing(NO_USAGE)).toBe(true)
    expect(isNothing({ ...NO_USAGE, textIn: 1 })).toBe(false)
    expect(isNothing({ ...NO_USAGE, audioOut: 1 })).toBe(false)
    expect(isNothing({ ...NO_USAGE, webSearchCalls: 1 })).toBe(false)
    expect(isNothing({ ...NO_USAGE, fileSearchCalls: 1 })).toBe(false)
  })
})

describe('vectors of the reserve', () => {
  const asInput = (price: Price): Price =>
    price.by === 'tokens' ? { ...price, completionRatio: '1' } : price
  const asked = { promptUpperBound: 200, maxOutput: 1000, assumedOutput: 500 }
  const unlimited = { promptUpperBound: 0, maxOutput: null, assumedOutput: 500 }

  test.each([
    // The tokens of vectors 20 and 21, all at the model ratio, make 1500; output at its own ratio of 4 makes the rest.
    ['20, 21 with output priced as input', asInput(priceOf('gpt-4o')), asked, 1500],
    ['20, 21', priceOf('gpt-4o'), asked, 5250],
    ['22a with output priced as input', asInput(priceOf('gpt-4o')), unlimited, 625],
    ['22a', priceOf('gpt-4o'), unlimited, 2500],
    ['22b, rounded up', asInput(priceOf('gpt-4o-mini')), unlimited, 38],
    ['22 with a prompt', priceOf('gpt-4o'), { ...unlimited, promptUpperBound: 1000 }, 3750],
    ['two searches beside', priceOf('gpt-4o'), { ...asked, searches: 2 }, 5250 + 35_000],
    ['a free model', priceOf('glm-4-flash'), asked, 0],
    ['a price per call', priceOf('mj_imagine', 1.15), asked, 57_500],
    [
      'less than one quota',
      priceOf('gpt-4o-mini'),
      { ...asked, promptUpperBound: 1, maxOutput: 0 },
      1,
    ],
  ])('given %s, when reserved, then the amount is right', (_, price, estimate, amount) => {
    expect(reserve(price, estimate)).toBe(amount)
  })
})
