import type { ClientProtocol } from './client-protocol.ts'
import type { ClientProtocolName } from './model-request.ts'
import { openAiClient } from './openai/client.ts'

const CLIENTS: Readonly<Record<ClientProtocolName, ClientProtocol>> = { openai: openAiClient }

/** The protocol of that name. */
export const clientProtocol = (name: ClientProtocolName): ClientProtocol => CLIENTS[name]
