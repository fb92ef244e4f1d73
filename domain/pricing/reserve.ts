import type { Quota } from '../quota.ts'
import { quota } from '../quota.ts'
import { isLong, longPrice } from './price-factors.ts'
import type { BookPrice } from './price.ts'
import type { Ratio } from './ratio.ts'
import { compare, ratio, ratioOf, roundUp, sum, times } from './ratio.ts'

/** The facts known of a request before it is sent upstream. */
export interface ReserveEstimate {
  /** No fewer tokens than the prompt has; its bytes will do (decision 4). */
  readonly promptUpperBound: number
  /** The larger of max_tokens and max_completion_tokens, times n; null when the client set none. */
  readonly maxOutput: number | null
  /** Output assumed without a limit: PreConsumedQuota, which counts tokens. */
  readonly assumedOutput: number
  /** Input of audio, beside the other; none unless given. */
  readonly audioInput?: number
  /** Output of audio, beside the other; none unless given. */
  readonly audioOutput?: number
  /** Output of pictures, beside the other; none unless given. */
  readonly imageOutput?: number
  /** Searches of the web by a tool of the provider; none unless given. */
  readonly searches?: number
  /** Whether all of `maxOutput` may turn out to be audio. */
  readonly maySpeak?: boolean
  /** Whether all of `maxOutput` may turn out to be pictures. */
  readonly mayDraw?: boolean
}

/**
 * The quota to hold before a request goes upstream: rounded up, output at its completion ratio, so that a text request
 * that keeps to its limits cannot cost more than its reserve and parallel requests cannot overdraw together. Audio
 * output of streams and tool calls are not foreseeable before: the stream is covered as it goes.
 */
export function reserve(price: BookPrice, estimate: ReserveEstimate): Quota {
  const tokens = estimate.promptUpperBound + (estimate.audioInput ?? 0)
  const rates = ratesOf(isLong(price, tokens) ? longPrice(price) : price)
  if (rates.by === 'call') return upwards(rates.call)
  const input = times(ratioOf(estimate.promptUpperBound), rates.input)
  const outputRate = dearest(
    rates.output,
    ...(estimate.maySpeak === true ? [rates.audioOutput] : []),
    ...(estimate.mayDraw === true ? [rates.imageOutput] : []),
  )
  const output = times(ratioOf(estimate.maxOutput ?? estimate.assumedOutput), outputRate)
  const { audioInput = 0, audioOutput = 0, imageOutput = 0, searches = 0 } = estimate
  const others = [audioInput, audioOutput, imageOutput, searches]
  if (others.every((count) => count === 0)) return upwards(sum(input, output))
  const heard = times(ratioOf(audioInput), rates.audioInput)
  const spoken = times(ratioOf(audioOutput), rates.audioOutput)
  const drawn = times(ratioOf(imageOutput), rates.imageOutput)
  return upwards(sum(input, output, heard, spoken, drawn, times(ratioOf(searches), rates.search)))
}

/** Whether pictures have a ratio of their own, so that output costs more or less when it is drawn. */
export const pricesPictures = (price: BookPrice): boolean =>
  price.by === 'tokens' && price.imageOutRatio !== undefined

type Rates =
  | { readonly by: 'call'; readonly call: Ratio }
  /** The rates of one token. */
  | {
      readonly by: 'tokens'
      readonly input: Ratio
      readonly output: Ratio
      readonly audioInput: Ratio
      readonly audioOutput: Ratio
      readonly imageOutput: Ratio
      /** The rate of one search. */
      readonly search: Ratio
    }

/** A price is used again and again; its texts never change, so they are parsed once. */
const RATES = new WeakMap<BookPrice, Rates>()

function ratesOf(price: BookPrice): Rates {
  const known = RATES.get(price)
  if (known !== undefined) return known
  const rates = readRates(price)
  RATES.set(price, rates)
  return rates
}

function readRates(price: BookPrice): Rates {
  const group = ratio(price.groupRatio)
  if (price.by === 'call') {
    const call = times(ratio(price.callPrice), ratio(price.quotaPerUnit), group)
    return { by: 'call', call }
  }
  const { tierFactor = '1', speedFactor = '1', geoFactor = '1' } = price
  const terms = [tierFactor, speedFactor, geoFactor].map(ratio)
  const base = times(ratio(price.modelRatio), group, ...terms)
  const read = times(base, ratio(price.longInFactor ?? '1'))
  const input = times(read, ratio(price.writeFactor ?? '1'))
  const baseOutput = times(base, ratio(price.longOutFactor ?? '1'))
  const output = times(baseOutput, ratio(price.completionRatio))
  const audioInput = times(read, ratio(price.audioRatio))
  const audioOutput = times(baseOutput, ratio(price.audioRatio), ratio(price.audioCompletionRatio))
  const { imageOutRatio } = price
  const imageOutput = imageOutRatio === undefined ? output : times(baseOutput, ratio(imageOutRatio))
  // Searches are counted beforehand without telling those of the web from those of files.
  const [web, file] = [ratio(price.webSearchPrice ?? '0'), ratio(price.fileSearchPrice ?? '0')]
  const perThousand = times(dearest(web, file), ratio('0.001'))
  const search = times(perThousand, ratio(price.quotaPerUnit), group)
  return { by: 'tokens', input, output, audioInput, audioOutput, imageOutput, search }
}

const dearest = (first: Ratio, ...others: readonly Ratio[]): Ratio =>
  others.reduce((highest, rate) => (compare(rate, highest) > 0 ? rate : highest), first)

/** An estimate beyond the safe integers is more than any account has: the hold is refused, the request not broken. */
function upwards(exact: Ratio): Quota {
  const whole = roundUp(exact)
  return quota(typeof whole === 'bigint' ? Number.MAX_SAFE_INTEGER : whole)
}
