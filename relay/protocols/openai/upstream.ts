import type { ChannelFacts } from '../../directory/facts.ts'
import { readUsage } from '../../metering/openai-usage.ts'
import { isReasoningName } from '../../metering/output-forecast.ts'
import type { UpstreamError } from '../../upstream/errors.ts'
import { writerFor } from '../chat-clients.ts'
import type { ModelRequest } from '../model-request.ts'
import { notTranslated } from '../not-translated.ts'
import { refusedObject } from '../provider-objects.ts'
import { isUnusable } from '../send.ts'
import type { OpenAiTerms, TranslatedRequest } from '../translation.ts'
import type { AskedFor, Outgoing, OutgoingOptions, UpstreamProtocol } from '../upstream-protocol.ts'
import type { ChunkAnswer } from './chunk-answer.ts'
import { chunkRewriter } from './chunk-rewriter.ts'
import { GatheredChunks } from './gathered-chunks.ts'
import { withInlineImages } from './inline-images.ts'
import { upstreamBody } from './request-edits.ts'
import { CHAT } from './request.ts'
import { simulatedStream } from './simulated-stream.ts'
import { OpenAiStream } from './stream.ts'
import { refusesStreamUsage } from './stream-usage.ts'
import { translateChat } from './translate.ts'
import { TranslatedChunks } from './translated-chunks.ts'
import { readWholeReply } from './whole-reply.ts'

/** Providers that speak OpenAI's protocol, for OpenAI's clients: bytes pass, and only necessary changes are made. */
export const openAiUpstream: UpstreamProtocol = {
  name: 'openai',
  outgoing(request, channel, options) {
    const made =
      request.endpoint.protocol === 'openai'
        ? (refusedObject(request, channel, memberOfObject) ??
          upstreamBody(request, channel, options))
        : translated(request, channel, options)
    const mayHaveImages = request.media.tokens > 0 && channel.type.quirks.includes('images-as-data')
    return mayHaveImages ? withInlineImages(made, options) : made
  },
  headers,
  learnsFrom: async (answer, { asksForUsage }, channel, now) =>
    asksForUsage && (await refusesStreamUsage(channel, answer, now)),
  passage: (request, channel, now) =>
    new OpenAiStream({
      showUsage: request.wantsUsage,
      object: request.endpoint.mode === 'completions' ? 'text_completion' : 'chat.completion.chunk',
      // The channel's changes are of streams alone.
      rewrite: request.stream ? chunkRewriter(channel.chunks) : null,
      answer: chunkAnswer(request, now),
      quirks: channel.type.quirks,
      key: channel.key,
    }),
  readWhole: readWholeReply,
  simulatedStream,
  usageOf: (report, { type }) => readUsage(report, type.quirks),
}

/** Writes a stream in its client's words, or as one answer where it asked for none; null = its chunks pass. */
function chunkAnswer(request: ModelRequest, now: number): ChunkAnswer | null {
  const { endpoint, stream } = request
  if (endpoint.protocol !== 'openai') {
    return new TranslatedChunks(writerFor(request, Math.floor(now / 1_000)), now)
  }
  return stream ? null : new GatheredChunks(endpoint.mode === 'completions')
}

function headers({ type, terms }: ChannelFacts, { stream }: AskedFor): Record<string, string> {
  const made: Record<string, string> = {}
  if (type.quirks.includes('organization-header') && terms.openaiOrganization !== '') {
    made['openai-organization'] = terms.openaiOrganization
  }
  if (type.quirks.includes('openrouter-headers')) made['x-title'] = 'Tollgate'
  if (type.quirks.includes('dashscope-headers')) {
    if (stream) made['x-dashscope-sse'] = 'enable'
    if (terms.other !== '') made['x-dashscope-plugin'] = terms.other
  }
  return made
}

const memberOfObject = (what: string): string => (what === 'file_id' ? 'messages' : what)

/** A request of another protocol's clients as one of chat completions, then fitted to the channel like any other. */
function translated(
  { endpoint: asked, raw, body, model, stream }: ModelRequest,
  channel: ChannelFacts,
  options: OutgoingOptions,
): Outgoing | UpstreamError | Promise<Outgoing | UpstreamError> {
  const mapped = channel.modelMapping.get(model) ?? model
  const terms: OpenAiTerms = {
    into: 'openai',
    stream,
    from: asked.protocol,
    model,
    upstreamModel: mapped,
    limit: OF_OPENAI.has(channel.type.id) ? 'max_completion_tokens' : 'max_tokens',
    reasons: isReasoningName(mapped),
    takesThoughts: takesThoughts(channel, mapped),
  }
  const toChat = (made: Outgoing | UpstreamError): Outgoing | UpstreamError =>
    isUnusable(made) ? made : { ...made, path: CHAT.path }
  const read = (answer: TranslatedRequest): ReturnType<UpstreamProtocol['outgoing']> => {
    if (answer.status !== 'read') return notTranslated(answer)
    const { buffer, byteOffset, byteLength } = answer.raw
    const request = { ...answer.request, raw: Buffer.from(buffer, byteOffset, byteLength) }
    const made = upstreamBody({ ...request, body: null }, channel, options)
    return made instanceof Promise ? made.then(toChat) : toChat(made)
  }
  return body === null
    ? options.translateLong(raw, terms).then(read)
    : read(translateChat(body, terms))
}

/** DeepSeek's models from 3.2 on want them back, R1 and 3.1 refuse them (api-docs.deepseek.com/guides/thinking_mode). */
const takesThoughts = ({ type }: ChannelFacts, model: string): boolean =>
  type.quirks.includes('thoughts-with-calls') && !REFUSES_THOUGHTS.test(model)
const REFUSES_THOUGHTS = /deepseek-(?:r1|v3(?:[.-][01])?(?![.\d]))/i

/** OpenAI itself and Azure, whose newer models refuse max_tokens. */
const OF_OPENAI: ReadonlySet<number> = new Set([1, 3])
