import type { ChannelFacts } from '../../directory/facts.ts'
import { dropGoogleToken } from '../../upstream/google-tokens.ts'
import { untranslatableError, upstreamError, type UpstreamError } from '../../upstream/errors.ts'
import { claudeUpstream, messagesOutgoing } from '../claude/upstream.ts'
import { nameOf } from '../claude/write-chat.ts'
import { namedError } from '../gemini/errors.ts'
import { geminiUpstream, vectorsOutgoing } from '../gemini/upstream.ts'
import { editMembers } from '../json-members.ts'
import type { ModelRequest } from '../model-request.ts'
import { openAiUpstream } from '../openai/upstream.ts'
import { isUnusable } from '../send.ts'
import type { AskedFor, Outgoing, OutgoingOptions, UpstreamProtocol } from '../upstream-protocol.ts'
import { vertexId } from './model-id.ts'
import { placeOf } from './place.ts'
import { readVectors } from './vectors.ts'

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
    return placed(made, { request, channel, options }, ({ headers = {} }) => {
      const { 'anthropic-version': _version, ...more } = headers
      return { path: `/v1{location}${path}`, model, headers: more }
    })
  },
  headers,
  learnsFrom,
  errorOf: (status, _headers, body, key) => namedError(upstreamError(status, body, key)),
}

/** Google's models on Vertex AI: the Gemini API at another address, which embeds one content at a time. */
export const vertexGemini: UpstreamProtocol = {
  ...geminiUpstream,
  name: 'vertex-gemini',
  outgoing(request, channel, options) {
    const { endpoint, members, terms } = request
    const isCount = endpoint.countsOnly === true
    const tier = isCount ? undefined : terms?.tier
    const isOfVectors = endpoint.mode === 'embeddings' || endpoint.mode === 'embed-content'
    if (tier !== undefined && (isOfVectors || options.passThrough)) return NO_TIER
    const isTiered = members.some(({ key }) => TIER_MEMBERS.includes(key))
    const terse = isTiered && !options.passThrough ? untiered(channel) : channel
    const made = isOfVectors
      ? contentOutgoing(request, channel, options)
      : geminiUpstream.outgoing(request, terse, options)
    const tiered = tier === undefined ? {} : { headers: { [TIER_HEADER]: tier } }
    return placed(made, { request, channel, options }, (one) => ({ ...atGoogle(one), ...tiered }))
  },
  readWhole(endpoint, body, now) {
    const { mode } = endpoint
    return mode === 'embeddings' || mode === 'embed-content'
      ? readVectors(endpoint, body)
      : geminiUpstream.readWhole(endpoint, body, now)
  },
  learnsFrom,
}

/**
 * Vertex AI takes a tier by a header (docs.cloud.google.com/vertex-ai/generative-ai/docs/priority-paygo), and knows no
 * member for it.
 */
const TIER_MEMBERS: readonly string[] = ['serviceTier', 'service_tier']
const TIER_HEADER = 'x-vertex-ai-llm-shared-request-type'
const untiered = (channel: ChannelFacts): ChannelFacts => ({
  ...channel,
  paramOverride: { ...channel.paramOverride, serviceTier: undefined },
})
const NO_TIER = untranslatableError(
  'service_tier',
  'a service tier has no counterpart in the body of this request for Vertex AI',
)

/** One content passes, but for the model: the address alone names it here. */
function contentOutgoing(
  request: ModelRequest,
  channel: ChannelFacts,
  options: OutgoingOptions,
): ReturnType<UpstreamProtocol['outgoing']> {
  if (request.endpoint.required !== 'content') {
    return vectorsOutgoing(request, channel, options, 'single')
  }
  const { raw, members, fields } = request
  const unnamed = editMembers(raw, members, new Map([['model', undefined]]))
  const named = { ...request, raw: unnamed, fields: { ...fields, namesModel: false } }
  return geminiUpstream.outgoing(named, channel, options)
}

/** Models of vectors on Vertex AI that are asked by instances. */
export const vertexPredict: UpstreamProtocol = {
  ...geminiUpstream,
  name: 'vertex-predict',
  outgoing: (request, channel, options) =>
    placed(
      vectorsOutgoing(request, channel, options, 'predict'),
      { request, channel, options },
      atGoogle,
    ),
  readWhole: readVectors,
  learnsFrom,
}

/** The method stands behind the model as in the Gemini API. */
function atGoogle(made: Outgoing): { readonly path: string } {
  const [method = ''] = /:\w+(?:\?.*)?$/.exec(made.path ?? '') ?? []
  const model = encodeURIComponent(made.model)
  return { path: `/v1beta1{location}/publishers/google/models/${model}${method}` }
}

/** Open models on Vertex AI, which speak chat completions. */
export const vertexOpenAi: UpstreamProtocol = {
  ...openAiUpstream,
  name: 'vertex-openai',
  outgoing: (request, channel, options) =>
    placed(
      openAiUpstream.outgoing(request, channel, options),
      { request, channel, options },
      () => ({
        path: '/v1beta1{location}/endpoints/openapi/chat/completions',
      }),
    ),
  learnsFrom: async (answer, sent, channel, now) =>
    (await learnsFrom(answer, sent, channel, now)) ||
    (await openAiUpstream.learnsFrom(answer, sent, channel, now)),
}

/** A request at its place, with a token. */
async function placed(
  making: ReturnType<UpstreamProtocol['outgoing']>,
  {
    request: { model },
    channel,
    options: { googleToken },
  }: {
    readonly request: ModelRequest
    readonly channel: ChannelFacts
    readonly options: OutgoingOptions
  },
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
