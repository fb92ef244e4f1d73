import type { ChannelFacts } from '../../directory/facts.ts'
import { readUsage } from '../../metering/openai-usage.ts'
import type { AskedFor, UpstreamProtocol } from '../upstream-protocol.ts'
import { chunkRewriter } from './chunk-rewriter.ts'
import { upstreamBody } from './request-edits.ts'
import { OpenAiStream } from './stream.ts'
import { refusesStreamUsage } from './stream-usage.ts'
import { readWholeReply } from './whole-reply.ts'

/** Providers that speak OpenAI's protocol, to OpenAI's clients: bytes pass, and only what must change is changed. */
export const openAiUpstream: UpstreamProtocol = {
  name: 'openai',
  outgoing: upstreamBody,
  headers,
  learnsFrom: async (answer, { asksForUsage }, channel, now) =>
    asksForUsage && (await refusesStreamUsage(channel, answer, now)),
  passage: (request, channel) =>
    new OpenAiStream({
      showUsage: request.wantsUsage,
      object: request.endpoint.mode === 'completions' ? 'text_completion' : 'chat.completion.chunk',
      rewrite: chunkRewriter(channel.chunks),
      quirks: channel.type.quirks,
      key: channel.key,
    }),
  readWhole: readWholeReply,
  usageOf: (report, { type }) => readUsage(report, type.quirks),
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
