import { chargedSearches } from '@tollgate/domain/pricing/tool-price.ts'
import {
  completionTokens,
  NO_USAGE,
  type OutputUsage,
  type Usage,
} from '@tollgate/domain/pricing/usage.ts'
import { audioTokens } from '../metering/audio-tokens.ts'
import type { InputUsage, ReportedUsage } from '../metering/openai-usage.ts'
import { keptOf } from '../metering/upstream-facts.ts'
import type { WrittenOutput } from '../metering/written-output.ts'
import type { JsonObject } from '../json.ts'
import type { ModelRequest } from '../protocols/model-request.ts'
import type { RelayDeps } from './deps.ts'
import type { Exchange } from './exchange.ts'
import type { Delivery } from './forward.ts'

/** The usage, and whether upstream reported it or it was counted here. */
export interface Metered {
  readonly usage: Usage
  readonly estimated: boolean
}

/** Tokens of ours up to which a lower report is believed: a small difference is not worth a count (decision 5). */
const BELIEVED_BELOW = 1_000
/** A report below our count divided by this counts as missing (decision 5). */
const TOO_FEW_DIVISOR = 4

/**
 * Upstream's own usage where it came and can be true, else our count, each side for itself; nothing where nothing came
 * (decision 5).
 */
export function meter(
  { id, trace }: Pick<Exchange, 'id' | 'trace'>,
  request: ModelRequest,
  delivery: Delivery,
  { counter, log }: Pick<RelayDeps, 'counter' | 'log'>,
): Metered | Promise<Metered> {
  const { report, usage: told, output, isContent } = evidence(delivery)
  const isSplit = tellsNoPictures(request, told, output)
  const read = isSplit ? { ...told, output: withPictures(told.output, output) } : told
  const { input, isUnreadable } = read
  if (input === null && read.output === null && !isUnreadable && !isContent) {
    return { usage: NO_USAGE, estimated: false }
  }
  const isUncertain = read.output !== null && mayBeTooFew(read.output, output)
  const isMissing = read.output === null && !output.isEmpty
  if (input !== null && !isMissing && !isUncertain) {
    return { usage: usageFrom(request, input, read), estimated: isSplit }
  }
  const needs = { input: input === null, output: isMissing || isUncertain }
  return count({ request, model: delivery.upstreamModel, output }, needs, counter).then((own) => {
    const isTooFew = isUncertain && isFarBelow(read.output, own.output)
    if (isUnreadable || isTooFew) {
      const channel = delivery.channel.id
      const said = report === null ? null : keptOf(report).usage
      log.warn(
        { requestId: id, ...trace, channel, reported: said },
        'upstream reported usage that cannot be true',
      )
    }
    return {
      usage: usageFrom(
        request,
        input ?? own.input,
        isMissing || isTooFew ? { ...read, output: own.output } : read,
      ),
      estimated: input === null || isMissing || isTooFew || isSplit,
    }
  })
}

const NO_INPUT: InputUsage = { textIn: 0, cachedIn: 0, cacheWriteIn: 0, audioIn: 0, imageIn: 0 }
const NO_OUTPUT: OutputUsage = { textOut: 0, audioOut: 0, reasoningOut: 0 }

function usageFrom(
  request: ModelRequest,
  input: InputUsage,
  { output, calls }: Pick<ReportedUsage, 'output' | 'calls'>,
): Usage {
  const usage = { ...NO_USAGE, ...input, ...(output ?? NO_OUTPUT), ...calls }
  // Search models search once with every request without saying so (relay-and-billing.md 10).
  const { model } = request
  return { ...usage, webSearchCalls: chargedSearches(model, usage.webSearchCalls) }
}

/**
 * Whether upstream reports output without telling the pictures among it from the text, which may have another price.
 * Pictures in a response are those of a tool, whose tokens are not in its usage.
 */
const tellsNoPictures = (
  { endpoint }: ModelRequest,
  { output }: ReportedUsage,
  { imageTokens }: WrittenOutput,
): boolean =>
  endpoint.protocol !== 'responses' &&
  output !== null &&
  output.imageOut === undefined &&
  imageTokens > 0

/** Upstream's output with our count of its pictures as a kind of their own; the sum stays upstream's. */
function withPictures(
  told: OutputUsage | null,
  { imageTokens }: WrittenOutput,
): OutputUsage | null {
  if (told === null) return null
  const imageOut = Math.min(imageTokens, told.textOut - told.reasoningOut)
  return imageOut > 0 ? { ...told, textOut: told.textOut - imageOut, imageOut } : told
}

/** Whether our count of the written output could show a report to be far too low; without a tokeniser. */
function mayBeTooFew(reported: OutputUsage, output: WrittenOutput): boolean {
  const most = output.mostTokens
  const believable = TOO_FEW_DIVISOR * completionTokens(reported)
  if (most <= BELIEVED_BELOW || believable >= most) return false
  const characters = output.text().length
  const beyondAscii = Math.max(0, most - characters)
  return believable < DENSITY * characters + DENSITY_BEYOND_ASCII * beyondAscii
}

/** Tokens a character of text, far more than any honest report has; and for each byte more than one a character. */
const DENSITY = 0.6
const DENSITY_BEYOND_ASCII = 0.25

const isFarBelow = (reported: OutputUsage | null, own: OutputUsage): boolean =>
  completionTokens(own) > BELIEVED_BELOW &&
  TOO_FEW_DIVISOR * completionTokens(reported ?? NO_OUTPUT) < completionTokens(own)

interface Evidence {
  /** As upstream said it. */
  readonly report: JsonObject | null
  readonly usage: ReportedUsage
  readonly output: WrittenOutput
  /** Upstream gave something beside usage: text, vectors. */
  readonly isContent: boolean
}

function evidence(delivery: Delivery): Evidence {
  if (delivery.kind === 'whole') {
    const { report, output, hasContent, calls } = delivery.reply
    const usage = calls === undefined ? delivery.usage : { ...delivery.usage, calls }
    return { report, usage, output, isContent: hasContent }
  }
  const { report, usage, output } = delivery.delivery.passage
  return { report, usage, output, isContent: !output.isEmpty }
}

/** Our own count of the sides that are needed; the other is empty. */
async function count(
  {
    request,
    model,
    output,
  }: { readonly request: ModelRequest; readonly model: string; readonly output: WrittenOutput },
  needs: { readonly input: boolean; readonly output: boolean },
  counter: RelayDeps['counter'],
): Promise<{ readonly input: InputUsage; readonly output: OutputUsage }> {
  const [prompt, text] = await Promise.all([
    needs.input ? counter.countPrompt(model, request) : null,
    needs.output ? counter.countTexts(model, [output.text()]) : null,
  ])
  return {
    input: { ...NO_INPUT, textIn: prompt?.tokens ?? 0 },
    output: {
      ...NO_OUTPUT,
      textOut: (text?.tokens ?? 0) + output.tokensBesideText - output.imageTokens,
      audioOut: audioTokens(output.audioBytes, request.audioFormat),
      ...(output.imageTokens > 0 && { imageOut: output.imageTokens }),
    },
  }
}
