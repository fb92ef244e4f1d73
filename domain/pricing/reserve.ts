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
}

/**
 * What to hold before a request goes upstream: rounded up, output at its completion ratio, so that a text request that
 * keeps to its limits cannot cost more than its reserve and parallel requests cannot overdraw together. Audio output
 * and tool calls are not foreseeable here: the stream is covered as it goes.
 */
export function reserve(price: Price, estimate: ReserveEstimate): Quota {
  const group = ratio(price.groupRatio)
  if (price.by === 'call') {
    return upwards(times(ratio(price.callPrice), ratio(price.quotaPerUnit), group))
  }
  const input = times(ratioOf(estimate.promptUpperBound), ratio(price.modelRatio), group)
  const output = times(
    ratioOf(estimate.maxOutput ?? estimate.assumedOutput),
    ratio(price.modelRatio),
    ratio(price.completionRatio),
    group,
  )
  return upwards(sum(input, output))
}

/** An estimate beyond the safe integers is more than any account has: the hold is refused, the request not broken. */
function upwards(exact: Ratio): Quota {
  const whole = roundUp(exact)
  return quota(whole > MOST ? Number.MAX_SAFE_INTEGER : Number(whole))
}

const MOST = BigInt(Number.MAX_SAFE_INTEGER)
