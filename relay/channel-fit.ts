import {
  type ChannelType,
  channelType,
  isBuilt,
  type Mode,
  type UpstreamProtocolName,
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
  embeddings: 'openai',
  images: 'openai',
  audio: 'openai',
  rerank: 'openai',
  realtime: 'openai',
  moderations: 'openai',
}

/** Clients whose bytes a provider of that protocol takes as they are. */
const NATIVE: Readonly<Record<UpstreamProtocolName, ClientProtocolName>> = {
  openai: 'openai',
  claude: 'claude',
  bedrock: 'claude',
  gemini: 'gemini',
  responses: 'responses',
}

/** How a channel type answers an operation; '' = it is never asked. */
export function fitOf(
  { modes, native, protocol }: ChannelType,
  operation: Mode,
): 'native' | 'translated' | '' {
  const spoken = native[operation] ?? protocol
  if (!modes.includes(operation) || !isBuilt(spoken)) return ''
  return NATIVE[spoken] === ASKED_IN[operation] ? 'native' : 'translated'
}

/** What channels of a type answer without translation; nothing when there is no such type. */
export function nativelyServedBy(id: number): readonly Mode[] {
  const type = channelType(id)
  return type === null ? [] : type.modes.filter((mode) => fitOf(type, mode) === 'native')
}
