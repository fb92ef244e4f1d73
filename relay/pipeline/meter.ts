import { searchesEveryTime } from '@tollgate/domain/pricing/tool-price.ts'
import { NO_USAGE, type Usage } from '@tollgate/domain/pricing/usage.ts'
import { countPrompt } from '../metering/count-prompt.ts'
import { usageOf } from '../metering/openai-usage.ts'
import type { OpenAiRequest } from '../protocols/openai/request.ts'
import type { OutputText } from '../protocols/openai/output-text.ts'
import type { RelayDeps } from './deps.ts'
import type { Delivery } from './forward.ts'

/** What was used, and whether upstream said so or it was counted here. */
export interface Metered {
  readonly usage: Usage
  readonly estimated: boolean
}

/** Upstream's own usage where it came; else what passed is counted; nothing where nothing came (decision 5). */
export function meter(
  request: OpenAiRequest,
  delivery: Delivery,
  { counter }: RelayDeps,
): Metered | Promise<Metered> {
  const { reported, output, hasContent } = evidence(delivery)
  const usage = usageOf(reported, delivery.channel.type.quirks)
  if (usage !== null) return { usage: withSearch(usage, request), estimated: false }
  if (!hasContent) return { usage: NO_USAGE, estimated: false }
  return counted(request, delivery.upstreamModel, output, counter)
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
    countPrompt(request, model, counter),
    counter.count(model, output.text()),
  ])
  const usage = { ...NO_USAGE, textIn: prompt, textOut: text + output.framingTokens }
  return { usage: withSearch(usage, request), estimated: true }
}

/** Search models search once with every request without saying so (relay-and-billing.md 10). */
const withSearch = (usage: Usage, request: OpenAiRequest): Usage =>
  searchesEveryTime(request.model) && usage.webSearchCalls === 0
    ? { ...usage, webSearchCalls: 1 }
    : usage
