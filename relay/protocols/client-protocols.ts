import type { IncomingHttpHeaders } from 'node:http'
import { headerText } from '../upstream/header-text.ts'
import { claudeClient } from './claude/client.ts'
import type { ClientProtocol } from './client-protocol.ts'
import type { ClientProtocolName } from './model-request.ts'
import { openAiClient } from './openai/client.ts'

const CLIENTS: Readonly<Record<ClientProtocolName, ClientProtocol>> = {
  openai: openAiClient,
  claude: claudeClient,
}

/** The protocol of that name. */
export const clientProtocol = (name: ClientProtocolName): ClientProtocol => CLIENTS[name]

/**
 * The protocol in which a request expects its answer, told by its path; at an address that protocols share (the list of
 * models) by the version that Anthropic's clients name. Never by where a key stands.
 */
export function protocolAt(path: string, headers: IncomingHttpHeaders): ClientProtocol {
  const isClaude =
    /^\/v1\/messages(?:[/?]|$)/.test(path) ||
    (path.startsWith('/v1/models') && headerText(headers, 'anthropic-version') !== '')
  return CLIENTS[isClaude ? 'claude' : 'openai']
}
