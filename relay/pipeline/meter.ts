import { searchesEveryTime } from '@tollgate/domain/pricing/tool-price.ts'
import {
  completionTokens,
  NO_USAGE,
  promptTokens,
  type Usage,
} from '@tollgate/domain/pricing/usage.ts'
import { audioFormat, audioTokens } from '../metering/audio-tokens.ts'
import { plausiblePrompt } from '../metering/prompt-bound.ts'
import { usageOf } from '../metering/openai-usage.ts'
import type { OpenAiRequest } from '../protocols/openai/request.ts'
import type { OutputText } from '../protocols/openai/output-text.ts'
import type { RelayDeps } from './deps.ts'
import type { Exchange } from './exchange.ts'
import type { Delivery } from './forward.ts'

/** What was used, and whether upstream said so or it was counted here. */
export interface Metered {
  readonly usage: Usage
  readonly estimated: boolean
}

/** Output that the client never sees (reasoning, audio as bytes), or that no limit was set for: beyond any model's. */
const UNSEEN_OUTPUT_MAX = 250_000
/** Upstreams count an end or a frame beyond the limit they were given. */
const LIMIT_SLACK = 1_000

/**
 * Upstream's own usage where it came and can be true; else what passed is counted; nothing where nothing came
 * (decision 5).
 */
export function meter(
  { id }: Pick<Exchange, 'id'>,
  request: OpenAiRequest,
  delivery: Delivery,
  { counter, log }: Pick<RelayDeps, 'counter' | 'log'>,
): Metered | Promise<Metered> {
  const { reported, output, hasContent } = evidence(delivery)
  const usage = usageOf(reported, delivery.channel.type.quirks)
  if (usage !== null) {
    const isPromptWrong = promptTokens(usage) > plausiblePrompt(request)
    const isOutputWrong = !isPlausibleOutput(usage, request, output)
    if (!isPromptWrong && !isOutputWrong) {
      return { usage: withSearch(usage, request), estimated: false }
    }
    const channel = delivery.channel.id
    log.warn({ requestId: id, channel, reported }, 'upstream reported usage that cannot be true')
    return counted(request, delivery.upstreamModel, output, counter).then((own) => ({
      usage: mixed(usage, own.usage, isPromptWrong, isOutputWrong),
      estimated: true,
    }))
  }
  if (!hasContent) return { usage: NO_USAGE, estimated: false }
  return counted(request, delivery.upstreamModel, output, counter)
}

/** Text that was delivered has tokens; text that was not delivered is reasoning or audio, or within the limit. */
function isPlausibleOutput(usage: Usage, request: OpenAiRequest, output: OutputText): boolean {
  const reported = completionTokens(usage)
  if (reported === 0) return output.isEmpty
  const unseen = usage.reasoningOut + usage.audioOut
  const unseenMost = UNSEEN_OUTPUT_MAX * request.choices
  const limit = request.maxOutput === null ? unseenMost : request.maxOutput + LIMIT_SLACK
  return unseen <= unseenMost && reported - unseen <= Math.max(limit, output.mostTokens)
}

/** Our own count in place of the side that cannot be true. */
function mixed(usage: Usage, own: Usage, isPromptWrong: boolean, isOutputWrong: boolean): Usage {
  const { textOut, audioOut, reasoningOut } = isOutputWrong ? own : usage
  const { webSearchCalls, fileSearchCalls } = own
  const prompt = isPromptWrong ? own : usage
  return { ...prompt, textOut, audioOut, reasoningOut, webSearchCalls, fileSearchCalls }
}

interface Evidence {
  readonly reported: unknown
  readonly output: OutputText
  readonly hasContent: boolean
}

function evidence(delivery: Delivery): Evidence {
  if (delivery.kind === 'whole') {
    const { usage, output, hasContent } = delivery.reply
    return { reported: usage, output, hasContent }
  }
  const { stream } = delivery.delivery
  const { output, usage } = stream
  return { reported: usage, output, hasContent: !output.isEmpty }
}

async function counted(
  request: OpenAiRequest,
  model: string,
  output: OutputText,
  counter: RelayDeps['counter'],
): Promise<Metered> {
  const [prompt, text] = await Promise.all([
    counter.countPrompt(model, request),
    counter.countTexts(model, [output.text()]),
  ])
  const textOut = text.tokens + output.tokensBesideText
  const audioOut = audioTokens(output.audioBytes, audioFormat(request.body))
  const usage = { ...NO_USAGE, textIn: prompt.tokens, textOut, audioOut }
  return { usage: withSearch(usage, request), estimated: true }
}

/** Search models search once with every request without saying so (relay-and-billing.md 10). */
const withSearch = (usage: Usage, request: OpenAiRequest): Usage =>
  searchesEveryTime(request.model) && usage.webSearchCalls === 0
    ? { ...usage, webSearchCalls: 1 }
    : usage
