import type { CallPrice, Price } from './price.ts'
import { printRatio, ratio, ratioOf, times } from './ratio.ts'

/** The options of an image generation, defaults filled in. */
export interface ImageRequest {
  /** As sent upstream. */
  readonly model: string
  readonly size: string
  readonly quality: string
  readonly n: number
}

/**
 * The price of one image request: price per image × size × quality × n (relay-and-billing 4.7). A model with a ratio
 * only costs 0.0025 USD × ratio an image. The same price is reserved and charged (decision 1, vector 12).
 */
export const imagePrice = (price: Price, request: ImageRequest): CallPrice => ({
  by: 'call',
  bookRevision: price.bookRevision,
  groupRatio: price.groupRatio,
  quotaPerUnit: price.quotaPerUnit,
  callPrice: printRatio(
    times(
      price.by === 'call' ? ratio(price.callPrice) : times(ratio(price.modelRatio), USD_PER_RATIO),
      ratio(sizeFactor(request.size)),
      ratio(qualityFactor(request)),
      ratioOf(request.n),
    ),
  ),
})

const USD_PER_RATIO = ratio('0.0025')

const LONG_SIZES: readonly string[] = ['1024x1792', '1792x1024']

function sizeFactor(size: string): string {
  if (size === '256x256') return '0.4'
  if (size === '512x512') return '0.45'
  return LONG_SIZES.includes(size) ? '2' : '1'
}

function qualityFactor({ model, quality, size }: ImageRequest): string {
  if (model !== 'dall-e-3' || quality !== 'hd') return '1'
  return LONG_SIZES.includes(size) ? '1.5' : '2'
}
