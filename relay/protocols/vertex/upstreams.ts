import type { ChannelFacts } from '../../directory/facts.ts'
import { dropGoogleToken } from '../../upstream/google-tokens.ts'
import { upstreamError, type UpstreamError } from '../../upstream/errors.ts'
import { claudeUpstream, messagesOutgoing } from '../claude/upstream.ts'
import { nameOf } from '../claude/write-chat.ts'
import { geminiUpstream, namedError } from '../gemini/upstream.ts'
import type { ModelRequest } from '../model-request.ts'
import { openAiUpstream } from '../openai/upstream.ts'
import { isUnusable } from '../send.ts'
import type { AskedFor, Outgoing, OutgoingOptions, UpstreamProtocol } from '../upstream-protocol.ts'
import { vertexId } from './model-id.ts'
import { placeOf } from './place.ts'

const VERSION = 'vertex-2023-10-16'

/** Anthropic's models on Google's Vertex AI: its messages at another address, whose body names the version. */
export const vertexClaude: UpstreamProtocol = {
  ...claudeUpstream,
  name: 'vertex-claude',
  outgoing(request, channel, options) {
    const { countsOnly } = request.endpoint
    const mapped = channel.modelMapping.get(request.model) ?? request.model
    const model = vertexId(
      nameOf({ model: mapped, thinkingShare: options.claude.thinkingShare }).model,
    )
    const own = new Map([
      // The address names the model, but for counts, whose address is one for all.
      ['model', countsOnly === true ? model : undefined],
      ['anthropic_version', VERSION],
    ])
    const made = messagesOutgoing(request, channel, options, own)
    const method = request.stream ? 'streamRawPredict' : 'rawPredict'
    const named = countsOnly === true ? 'count-tokens' : model
    const path = `/publishers/anthropic/models/${encodeURIComponent(named)}:${method}`
    return placed(made, request, channel, options, ({ headers = {} }) => {
      const { 'anthropic-version': _version, ...more } = headers
      return { path: `/v1{location}${path}`, model, headers: more }
    })
  },
  headers,
  learnsFrom,
  errorOf: (status, _headers, body, key) => namedError(upstreamError(status, body, key)),
}

/** Google's models on Vertex AI: the Gemini API at another address. */
export const vertexGemini: UpstreamProtocol = {
  ...geminiUpstream,
  name: 'vertex-gemini',
  outgoing: (request, channel, options) =>
    placed(
      geminiUpstream.outgoing(request, channel, options),
      request,
      channel,
      options,
      (made) => {
        const [method = ''] = /:\w+(?:\?.*)?$/.exec(made.path ?? '') ?? []
        const model = encodeURIComponent(made.model)
        return { path: `/v1beta1{location}/publishers/google/models/${model}${method}` }
      },
    ),
  learnsFrom,
}

/** Open models on Vertex AI, which speak chat completions. */
export const vertexOpenAi: UpstreamProtocol = {
  ...openAiUpstream,
  name: 'vertex-openai',
  outgoing: (request, channel, options) =>
    placed(openAiUpstream.outgoing(request, channel, options), request, channel, options, () => ({
      path: '/v1beta1{location}/endpoints/openapi/chat/completions',
    })),
  learnsFrom: async (answer, sent, channel, now) =>
    (await learnsFrom(answer, sent, channel, now)) ||
    (await openAiUpstream.learnsFrom(answer, sent, channel, now)),
}

/** A request at its place, with a token. */
async function placed(
  making: ReturnType<UpstreamProtocol['outgoing']>,
  { model }: ModelRequest,
  channel: ChannelFacts,
  { googleToken }: OutgoingOptions,
  at: (made: Outgoing) => Partial<Outgoing> & { readonly path: string },
): Promise<Outgoing | UpstreamError> {
  const made = await making
  if (isUnusable(made)) return made
  const place = placeOf(channel, model)
  if (isUnusable(place)) return place
  const token = await googleToken(channel)
  if (typeof token !== 'string') return token
  const there = at(made)
  return {
    ...made,
    ...there,
    path: there.path.replace('{location}', place.location),
    baseUrl: place.baseUrl,
    headers: { ...(there.headers ?? made.headers), authorization: `Bearer ${token}` },
  }
}

/** A token may be revoked before its end: the request is worth sending once more with another. */
async function learnsFrom(
  ...[answer, { headers: sent }, channel, now]: Parameters<UpstreamProtocol['learnsFrom']>
): Promise<boolean> {
  if (answer.kind !== 'whole' || answer.status !== UNAUTHENTICATED) return false
  const token = sent?.['authorization']?.slice('Bearer '.length) ?? ''
  return dropGoogleToken(channel, token, now)
}
const UNAUTHENTICATED = 401

/** The previews that the client names; the version stands in the body. */
function headers(channel: ChannelFacts, asked: AskedFor): Readonly<Record<string, string>> {
  const { 'anthropic-version': _version, ...more } = claudeUpstream.headers(channel, asked)
  return more
}
