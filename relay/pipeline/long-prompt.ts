import type { BookPrice } from '@tollgate/domain/pricing/price.ts'
import { isLong } from '@tollgate/domain/pricing/price-factors.ts'
import { promptUpperBound, roughPrompt } from '../metering/prompt-bound.ts'
import type { ModelRequest } from '../protocols/model-request.ts'
import { type UpstreamError, untranslatableError } from '../upstream/errors.ts'
import type { Admission } from './admit.ts'
import type { ClientAnswer } from './client-answer.ts'
import type { RelayDeps } from './deps.ts'

/** Channels are tried one after the other: a prompt is counted once. */
const JUDGED = new WeakMap<ModelRequest, Promise<boolean>>()

/**
 * The refusal of a prompt beyond the threshold of its price, for a channel that does not allow terms that change the
 * price; null = it is not beyond. By our own count: upstream's, which decides the charge, comes with the answer.
 */
export async function longPromptRefusal(
  answer: ClientAnswer,
  { caller, request }: Admission,
  price: BookPrice,
  { exactPrompts }: Pick<RelayDeps, 'exactPrompts'>,
): Promise<UpstreamError | null> {
  const threshold = price.by === 'tokens' ? price.factors?.above?.tokens : undefined
  const { audioTokens } = request.media
  if (threshold === undefined || !isLong(price, promptUpperBound(request) + audioTokens)) {
    return null
  }
  const count = async (): Promise<boolean> => {
    const gone = new AbortController()
    answer.whenGone(() => gone.abort())
    const counted = await exactPrompts.count(caller.user.id, request, gone.signal)
    answer.whenGone(null)
    const history = request.previous?.tokens ?? 0
    return isLong(price, counted === null ? roughPrompt(request) : counted + history)
  }
  const judged = JUDGED.get(request) ?? count()
  JUDGED.set(request, judged)
  if (!(await judged)) return null
  const text = `a prompt of more than ${threshold} tokens, whose price is another one, is not allowed on the channel of this model`
  return untranslatableError(request.endpoint.required, text)
}
