import { isBuilt, type UpstreamProtocolName } from '../channel-types.ts'
import type { ChannelFacts } from '../directory/facts.ts'
import { type UpstreamError, unusableError } from '../upstream/errors.ts'
import type { Endpoint } from './model-request.ts'
import { bedrockUpstream } from './bedrock/upstream.ts'
import { claudeUpstream } from './claude/upstream.ts'
import { geminiUpstream } from './gemini/upstream.ts'
import { openAiUpstream } from './openai/upstream.ts'
import { responsesUpstream } from './responses/upstream.ts'
import type { UpstreamProtocol } from './upstream-protocol.ts'

const UPSTREAMS: Readonly<Record<UpstreamProtocolName, UpstreamProtocol>> = {
  openai: openAiUpstream,
  claude: claudeUpstream,
  bedrock: bedrockUpstream,
  gemini: geminiUpstream,
  responses: responsesUpstream,
}

/** The protocol of that name. */
export const upstreamProtocol = (name: UpstreamProtocolName): UpstreamProtocol => UPSTREAMS[name]

/** The protocol in which a channel serves an endpoint; an UpstreamError when it does not. */
export function protocolFor(
  { type }: ChannelFacts,
  { mode, path }: Endpoint,
): UpstreamProtocol | UpstreamError {
  const { name } = type
  const protocol = type.native[mode] ?? type.protocol
  if (!isBuilt(protocol)) {
    const text = `channels of type ${name} cannot be called yet: their protocol is not built`
    return unusableError(501, 'invalid_api_type', text)
  }
  if (type.modes.includes(mode)) return UPSTREAMS[protocol]
  return unusableError(501, 'invalid_api_type', `channels of type ${name} do not serve ${path}`)
}
