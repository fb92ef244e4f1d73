import type { ChargedUsage } from '@tollgate/domain/account/events.ts'
import type { Attempt } from '@tollgate/domain/account/request-facts.ts'
import { UNTOLD } from '@tollgate/domain/account/request-facts.ts'
import { type ChannelId, requestId } from '@tollgate/domain/ids.ts'
import type { Price } from '@tollgate/domain/pricing/price.ts'
import { NO_USAGE, type Usage } from '@tollgate/domain/pricing/usage.ts'
import type { PlannedRequest } from '../history.ts'

/** The facts that a charge needs beside its plan. */
export interface BookedBy {
  /** Tells requests of one millisecond apart. */
  readonly number: number
  readonly group: string
  readonly price: Price
  /** The channel that answered, and the one that failed before it, if any. */
  readonly channel: ChannelId
  readonly failed: ChannelId | null
}

const PROCESSING_MS = 4
/** Upstream fails fast. */
const FAILED_MS = 180

/** A planned request as the relay would have reported it: the stand-in's answer, seen from the relay's side. */
export function bookedRequest(plan: PlannedRequest, by: BookedBy): ChargedUsage {
  const { at, model, stream } = plan
  const admittedAt = at + PROCESSING_MS
  const isEmbedding = plan.answerTokens === 0
  const usage = usageOf(plan)
  const answeredAt = admittedAt + (by.failed === null ? 0 : FAILED_MS)
  const ms = Math.round(plan.firstByteMs + plan.answerTokens * plan.perTokenMs)
  return {
    id: requestId(idOf(at, by.number)),
    channel: by.channel,
    model,
    upstreamModel: model,
    group: by.group,
    endpoint: isEmbedding ? '/v1/embeddings' : '/v1/chat/completions',
    usage,
    price: by.price,
    stream,
    startedAt: at,
    firstByteMs: stream ? answeredAt - at + Math.round(plan.firstByteMs) : null,
    durationMs: answeredAt - at + ms,
    admittedAt,
    attempts: [
      ...(by.failed === null ? [] : [failedAttempt(by.failed, plan, admittedAt)]),
      {
        channel: by.channel,
        startedAt: answeredAt,
        ms,
        status: 200,
        code: null,
        why: null,
        usage: null,
      },
    ],
    upstream: { ...UNTOLD, model, usage: JSON.stringify(upstreamUsage(usage, isEmbedding)) },
    estimated: false,
    cancelled: false,
    cutShort: false,
    reasoningEffort: null,
  }
}

/** A reasoning model spends a third of its output on thinking, as the stand-in's do. */
function usageOf({ model, promptTokens, answerTokens }: PlannedRequest): Usage {
  const isReasoning = model.startsWith('o3') || model.endsWith('reasoner')
  const reasoningOut = isReasoning ? Math.floor(answerTokens / 3) : 0
  return { ...NO_USAGE, textIn: promptTokens, textOut: answerTokens, reasoningOut }
}

const upstreamUsage = ({ textIn, textOut, reasoningOut }: Usage, isEmbedding: boolean): object =>
  isEmbedding
    ? { prompt_tokens: textIn, total_tokens: textIn }
    : {
        prompt_tokens: textIn,
        completion_tokens: textOut,
        total_tokens: textIn + textOut,
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: reasoningOut, audio_tokens: 0 },
      }

function failedAttempt(channel: ChannelId, { failure }: PlannedRequest, at: number): Attempt {
  const isBusy = failure === 'rate-limited'
  return {
    channel,
    startedAt: at,
    ms: FAILED_MS,
    status: isBusy ? 429 : 500,
    code: isBusy ? 'rate_limit_exceeded' : 'server_error',
    why: isBusy ? 'Rate limit reached' : 'The server had an error while processing your request',
    usage: null,
  }
}

/** A request id in the form of infra/http/request-id.ts, dated in the past. */
function idOf(at: number, number: number): string {
  const stamp = new Date(at).toISOString().slice(0, 23).replace(/\D/g, '')
  return `${stamp}${String(number).padStart(14, '0')}`
}
