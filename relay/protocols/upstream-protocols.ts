import { isBuilt, type UpstreamProtocolName, vertexProtocol } from '../channel-types.ts'
import type { ChannelFacts } from '../directory/facts.ts'
import { type UpstreamError, unusableError } from '../upstream/errors.ts'
import type { ModelRequest } from './model-request.ts'
import { bedrockUpstream } from './bedrock/upstream.ts'
import { claudeUpstream } from './claude/upstream.ts'
import { geminiUpstream } from './gemini/upstream.ts'
import { openAiUpstream } from './openai/upstream.ts'
import { responsesUpstream } from './responses/upstream.ts'
import type { UpstreamProtocol } from './upstream-protocol.ts'
import { vertexClaude, vertexGemini, vertexOpenAi, vertexPredict } from './vertex/upstreams.ts'

const UPSTREAMS: Readonly<Record<UpstreamProtocolName, UpstreamProtocol>> = {
  openai: openAiUpstream,
  claude: claudeUpstream,
  bedrock: bedrockUpstream,
  gemini: geminiUpstream,
  responses: responsesUpstream,
  'vertex-claude': vertexClaude,
  'vertex-gemini': vertexGemini,
  'vertex-predict': vertexPredict,
  'vertex-openai': vertexOpenAi,
}

/** The protocol of that name. */
export const upstreamProtocol = (name: UpstreamProtocolName): UpstreamProtocol => UPSTREAMS[name]

/** The protocol in which a channel serves a request; an UpstreamError when it does not. */
export function protocolFor(
  { type, modelMapping }: ChannelFacts,
  { endpoint: { mode, path }, model }: Pick<ModelRequest, 'endpoint' | 'model'>,
): UpstreamProtocol | UpstreamError {
  const { name } = type
  const protocol = type.native[mode] ?? type.protocol
  if (!isBuilt(protocol)) {
    const text = `channels of type ${name} cannot be called yet: their protocol is not built`
    return unusableError(501, 'invalid_api_type', text)
  }
  if (!type.modes.includes(mode)) {
    return unusableError(501, 'invalid_api_type', `channels of type ${name} do not serve ${path}`)
  }
  const mapped = modelMapping.get(model) ?? model
  const spoken = protocol === 'vertex' ? vertexProtocol(mapped, mode) : protocol
  if (spoken !== null) return UPSTREAMS[spoken]
  const text = `channels of type ${name} serve chats with models named claude, gemini or with their publisher, and vectors of models named text-embedding, text-multilingual-embedding or gemini only`
  return unusableError(501, 'invalid_api_type', text)
}
