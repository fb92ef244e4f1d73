import type { HoldRefusalReason } from '@tollgate/domain/ports/hold-owner.ts'
import type { BookPrice } from '@tollgate/domain/pricing/price.ts'
import { pricesPictures } from '@tollgate/domain/pricing/reserve.ts'
import { searchesEveryTime } from '@tollgate/domain/pricing/tool-price.ts'
import type { Quota } from '@tollgate/domain/quota.ts'
import { type Reservation, type DrawResult, lacksQuota } from '../holds/reservation.ts'
import { promptUpperBound } from '../metering/prompt-bound.ts'
import type { ModelRequest } from '../protocols/model-request.ts'
import type { Outgoing } from '../protocols/upstream-protocol.ts'
import type { BillingSettings } from '../directory/facts.ts'
import type { Admission } from './admit.ts'
import { amountText } from './amount-text.ts'
import type { ClientAnswer } from './client-answer.ts'
import { CLIENT_LEFT } from './client-left.ts'
import type { RelayDeps } from './deps.ts'
import type { Exchange } from './exchange.ts'
import { drawScarce, estimateOf, LEAST_QUOTA, type ScarceDraw, type Wanted } from './hold-scarce.ts'
import { type Refusal, refusal } from '../refusal.ts'
import { STOPPED } from './stopped.ts'

/** Quota set aside for one request, and how much output it pays for. */
export interface Coverage {
  readonly reservation: Reservation
  readonly promptBound: number
  /** Tokens of audio in the prompt, beside `promptBound`. */
  readonly audioInput: number
  /** Output tokens that the drawing pays for. */
  readonly outputCovered: number
  /** Searches of the web that it pays for, too. */
  readonly searches: number
}

/** Draws the highest cost of the request, before anything goes upstream (architecture 6). */
export function hold(
  { answer }: Pick<Exchange, 'answer'>,
  admission: Admission,
  price: BookPrice,
  deps: RelayDeps,
): Coverage | Refusal | Promise<Coverage | Refusal> {
  const { caller, request } = admission
  const { billing, priceBook } = deps.directory.settings
  const { assumedOutput } = priceBook
  const isDrawn = pricesPictures(price)
  const assumed = isDrawn ? Math.max(assumedOutput, PICTURE_TOKENS_MAX) : assumedOutput
  const outputLeast = request.maxOutput ?? assumed * request.choices
  const forecast = request.maxOutput === null ? deps.forecast.expect(request) : null
  const output = Math.max(outputLeast, (forecast ?? 0) * request.choices)
  const isSpoken = request.isSpokenWhole
  const bound: Wanted = {
    promptBound: promptUpperBound(request),
    audioInput: request.media.audioTokens,
    output,
    // Audio is too dear to run beyond its cover.
    outputLeast: isSpoken ? output : outputLeast,
    isSpoken,
    isDrawn,
    searches: searchesEveryTime(request.model) ? 1 : (request.searches ?? 0),
  }
  const estimate = estimateOf(price, bound)
  const read = (drawn: DrawResult): Coverage | Refusal | Promise<Coverage | Refusal> =>
    lacksQuota(drawn)
      ? drawScarce(answer, admission, { price, bound, lack: drawn }, deps).then((scarce) =>
          reservationOf(answer, scarce, billing),
        )
      : reservationOf(answer, { drawn, wanted: bound, estimate }, billing)
  const drawn = deps.holds.draw(caller.user.id, caller.token?.id ?? null, estimate)
  return drawn instanceof Promise ? drawn.then(read) : read(drawn)
}

function reservationOf(
  answer: ClientAnswer,
  { drawn, wanted, estimate }: ScarceDraw,
  billing: BillingSettings,
): Coverage | Refusal {
  const ended = answer.isGone ? CLIENT_LEFT : answer.isStopped ? STOPPED : null
  if (drawn.status !== 'drawn') return ended ?? refused(drawn, estimate, billing)
  const { reservation } = drawn
  if (ended === null) {
    const { promptBound, audioInput, output, searches } = wanted
    return { reservation, promptBound, audioInput, outputCovered: output, searches }
  }
  reservation.release()
  return ended
}

/** Whether account and token could pay for anything at all, before a large body is taken in; a Refusal when not. */
export async function lookForQuota(
  { user, token }: Pick<Admission['caller'], 'user' | 'token'>,
  { holds, directory }: Pick<RelayDeps, 'holds' | 'directory'>,
): Promise<Refusal | null> {
  const drawn = await holds.draw(user.id, token?.id ?? null, LEAST_QUOTA)
  if (drawn.status !== 'drawn') {
    // Running requests hold the quota: the request may wait for them once its cost is known.
    if (lacksQuota(drawn) && drawn.balance > 0) return null
    return refused(drawn, LEAST_QUOTA, directory.settings.billing)
  }
  drawn.reservation.release()
  return null
}

/**
 * Covers, before the request is sent, its cost beyond the reservation: a channel's own changes (param_override), which
 * are a larger output limit or a longer body, and input beside the body (`cachedBound`), which only some channels
 * may be asked for. The new reservation, or a Refusal when quota does not reach.
 */
export async function holdForChannel(
  coverage: Coverage,
  {
    request,
    sent,
    price,
  }: { readonly request: ModelRequest; readonly sent: Outgoing; readonly price: BookPrice },
  { directory, log }: RelayDeps,
): Promise<Coverage | Refusal> {
  const { reservation, audioInput, searches } = coverage
  const grown = Math.max(0, sent.body.length - request.raw.length)
  const outputCovered = Math.max(coverage.outputCovered, sent.maxOutput ?? 0)
  const { cachedBound = 0 } = request
  const isCovered = outputCovered === coverage.outputCovered && cachedBound === 0
  if (isCovered && grown <= EDIT_BYTES) return coverage
  const promptBound = coverage.promptBound + grown + cachedBound
  const { billing } = directory.settings
  const isSpoken = request.isSpokenWhole
  const isDrawn = pricesPictures(price)
  const wanted = { promptBound, audioInput, output: outputCovered, isSpoken, isDrawn, searches }
  const need = estimateOf(price, wanted)
  try {
    if (await reservation.cover(need)) {
      return { reservation, promptBound, audioInput, outputCovered, searches }
    }
  } catch (error) {
    // The owner of the account is unavailable: the reservation stands, and another channel is not asked in its place.
    log.warn({ err: error }, 'more quota could not be asked for')
    return refusal(503, 'quota_unavailable', UNAVAILABLE, { retryAfterSeconds: 2 })
  }
  const why =
    cachedBound === 0
      ? 'the channel allows more output than is left'
      : 'what the provider reads beside the request may cost more than is left'
  const text = `用户额度不足 (insufficient quota): ${why}, need quota: ${amountText(need, billing)}`
  return refusal(403, 'insufficient_user_quota', text)
}

/** The tokens of the largest picture of Google's, 4K (ai.google.dev/gemini-api/docs/pricing). */
const PICTURE_TOKENS_MAX = 2_520
/** Our own edits (a usage option, another model name) are no prompt. */
const EDIT_BYTES = 512
const LOCKED =
  '该账户的账本已锁定，请联系管理员 (the ledger of this account is locked: an administrator has to look at it; nothing was sent or charged)'
const UNAVAILABLE = 'quota cannot be reserved at the moment; try again shortly'

function refused(
  drawn: Exclude<DrawResult, { status: 'drawn' }>,
  estimate: Quota,
  billing: BillingSettings,
): Refusal {
  if (drawn.status === 'unavailable') {
    const { retryAfterSeconds } = drawn
    return refusal(503, 'quota_unavailable', UNAVAILABLE, { retryAfterSeconds })
  }
  return reasons(drawn.available, estimate, billing)[drawn.reason]
}

function reasons(
  available: Quota,
  need: Quota,
  billing: BillingSettings,
): Readonly<Record<HoldRefusalReason, Refusal>> {
  const figures = `quota: ${amountText(available, billing)}, need quota: ${amountText(need, billing)}`
  return {
    'insufficient-quota': refusal(
      403,
      'insufficient_user_quota',
      `用户额度不足 (insufficient quota), user ${figures}`,
    ),
    'insufficient-token-quota': refusal(
      403,
      'pre_consume_token_quota_failed',
      `令牌额度不足 (token quota is not enough), token remain ${figures}`,
    ),
    'account-not-open': refusal(403, 'account_not_open', '用户账户未开通'),
    'account-suspended': refusal(403, 'user_banned', '用户已被封禁'),
    'account-locked': refusal(403, 'account_locked', LOCKED),
    'token-unknown': refusal(401, 'invalid_api_key', '无效的令牌'),
    'token-not-active': refusal(401, 'token_disabled', '该令牌状态不可用'),
    'too-many-holds': refusal(
      429,
      'too_many_holds',
      'too many tokens of this account are in use at once; try again shortly',
      { retryAfterSeconds: 5 },
    ),
  }
}
