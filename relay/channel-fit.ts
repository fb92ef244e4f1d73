import type { ChannelTerms } from '@tollgate/domain/channel/events.ts'
import {
  type ChannelType,
  channelType,
  isBuilt,
  type Mode,
  type UpstreamProtocolName,
  vertexProtocol,
} from './channel-types.ts'
import type { ClientProtocolName } from './protocols/model-request.ts'

/** The protocol of the clients that ask for an operation. */
const ASKED_IN: Readonly<Record<Mode, ClientProtocolName>> = {
  chat: 'openai',
  messages: 'claude',
  'generate-content': 'gemini',
  'embed-content': 'gemini',
  responses: 'responses',
  completions: 'openai',
  infill: 'openai',
  embeddings: 'openai',
  images: 'openai',
  audio: 'openai',
  rerank: 'openai',
  realtime: 'openai',
  moderations: 'openai',
}

/** Clients whose bytes a provider of that protocol takes as they are. */
const NATIVE: Readonly<Record<UpstreamProtocolName, ClientProtocolName | null>> = {
  openai: 'openai',
  claude: 'claude',
  bedrock: 'claude',
  gemini: 'gemini',
  responses: 'responses',
  'vertex-claude': 'claude',
  'vertex-gemini': 'gemini',
  // No client asks so.
  'vertex-predict': null,
  'vertex-openai': 'openai',
}

/** Whether a provider of that protocol takes the bytes of a protocol's clients as they are. */
export const isNative = (spoken: UpstreamProtocolName, client: ClientProtocolName): boolean =>
  NATIVE[spoken] === client

/** How a channel type answers an operation; '' = it is never asked. */
export function fitOf(
  { modes, native, protocol }: ChannelType,
  operation: Mode,
): 'native' | 'translated' | 'by model' | '' {
  const spoken = native[operation] ?? protocol
  if (!modes.includes(operation) || !isBuilt(spoken)) return ''
  const client = ASKED_IN[operation]
  if (spoken === 'vertex') return client === 'responses' ? 'translated' : 'by model'
  return isNative(spoken, client) ? 'native' : 'translated'
}

/**
 * The modes that a channel answers without translation; none when there is no such type. On Vertex AI that goes by the
 * model: here by the protocols of any of its models.
 */
export function nativelyServedBy({
  type: id,
  models,
}: Pick<ChannelTerms, 'type' | 'models'>): readonly Mode[] {
  const type = channelType(id)
  if (type === null) return []
  return type.modes.filter((mode) => {
    const fit = fitOf(type, mode)
    if (fit !== 'by model') return fit === 'native'
    return models.some((model) => {
      const spoken = vertexProtocol(model, mode)
      return spoken !== null && isNative(spoken, ASKED_IN[mode])
    })
  })
}
