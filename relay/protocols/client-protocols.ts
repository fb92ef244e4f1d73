import type { IncomingHttpHeaders } from 'node:http'
import { headerText } from '../upstream/header-text.ts'
import { claudeClient } from './claude/client.ts'
import type { ClientProtocol } from './client-protocol.ts'
import { geminiClient } from './gemini/client.ts'
import { hasGeminiKey, isGeminiAddress } from './gemini/addresses.ts'
import type { ClientProtocolName } from './model-request.ts'
import { openAiClient } from './openai/client.ts'
import { responsesClient } from './responses/client.ts'

const CLIENTS: Readonly<Record<ClientProtocolName, ClientProtocol>> = {
  openai: openAiClient,
  claude: claudeClient,
  gemini: geminiClient,
  responses: responsesClient,
}

/** The protocol of that name. */
export const clientProtocol = (name: ClientProtocolName): ClientProtocol => CLIENTS[name]

/**
 * The protocol in which a request expects its answer, told by its path. At the address that protocols share (the list of
 * models) by the version that Anthropic's clients name, or by the place of the key that only Google's clients use.
 * `path` may have its query.
 */
export function protocolAt(path: string, headers: IncomingHttpHeaders): ClientProtocol {
  if (/^\/v1\/messages(?:[/?]|$)/.test(path)) return claudeClient
  if (isGeminiAddress(path)) return geminiClient
  if (!path.startsWith('/v1/models')) return openAiClient
  if (headerText(headers, 'anthropic-version') !== '') return claudeClient
  const isGoogle = hasGeminiKey(path, headerText(headers, 'x-goog-api-key'))
  return isGoogle ? geminiClient : openAiClient
}
