import type { Quota } from '../quota.ts'
import { quota } from '../quota.ts'
import type { Price } from './price.ts'
import type { Ratio } from './ratio.ts'
import { ratio, ratioOf, roundUp, sum, times } from './ratio.ts'

/** What is known of a request before it is sent upstream. */
export interface ReserveEstimate {
  /** No fewer tokens than the prompt has; its bytes will do (decision 4). */
  readonly promptUpperBound: number
  /** The larger of max_tokens and max_completion_tokens, times n; null when the client set none. */
  readonly maxOutput: number | null
  /** Output assumed without a limit: PreConsumedQuota, which counts tokens. */
  readonly assumedOutput: number
  /** Output of audio, beside the other; none unless given. */
  readonly audioOutput?: number
}

/**
 * What to hold before a request goes upstream: rounded up, output at its completion ratio, so that a text request that
 * keeps to its limits cannot cost more than its reserve and parallel requests cannot overdraw together. Audio output
 * and tool calls are not foreseeable before: the stream is covered as it goes.
 */
export function reserve(price: Price, estimate: ReserveEstimate): Quota {
  const rates = ratesOf(price)
  if (rates.by === 'call') return upwards(rates.call)
  const input = times(ratioOf(estimate.promptUpperBound), rates.input)
  const output = times(ratioOf(estimate.maxOutput ?? estimate.assumedOutput), rates.output)
  if (estimate.audioOutput === undefined) return upwards(sum(input, output))
  return upwards(sum(input, output, times(ratioOf(estimate.audioOutput), rates.audioOutput)))
}

type Rates =
  | { readonly by: 'call'; readonly call: Ratio }
  /** Of one token. */
  | {
      readonly by: 'tokens'
      readonly input: Ratio
      readonly output: Ratio
      readonly audioOutput: Ratio
    }

/** A price is asked for again and again; its texts never change, so they are read once. */
const RATES = new WeakMap<Price, Rates>()

function ratesOf(price: Price): Rates {
  const known = RATES.get(price)
  if (known !== undefined) return known
  const rates = readRates(price)
  RATES.set(price, rates)
  return rates
}

function readRates(price: Price): Rates {
  const group = ratio(price.groupRatio)
  if (price.by === 'call') {
    const call = times(ratio(price.callPrice), ratio(price.quotaPerUnit), group)
    return { by: 'call', call }
  }
  const input = times(ratio(price.modelRatio), group)
  return {
    by: 'tokens',
    input,
    output: times(input, ratio(price.completionRatio)),
    audioOutput: times(input, ratio(price.audioRatio), ratio(price.audioCompletionRatio)),
  }
}

/** An estimate beyond the safe integers is more than any account has: the hold is refused, the request not broken. */
function upwards(exact: Ratio): Quota {
  const whole = roundUp(exact)
  return quota(whole > MOST ? Number.MAX_SAFE_INTEGER : Number(whole))
}

const MOST = BigInt(Number.MAX_SAFE_INTEGER)
