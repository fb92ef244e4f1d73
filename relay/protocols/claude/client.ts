import { headerText } from '../../upstream/header-text.ts'
import type { ClientProtocol } from '../client-protocol.ts'
import { errorBody, errorEvent } from './errors.ts'
import { promptParts, promptTexts } from './prompt.ts'
import { readMessages } from './request.ts'

/** Clients of Anthropic's messages. */
export const claudeClient: ClientProtocol = {
  name: 'claude',
  idHeader: 'request-id',
  // Today's SDKs send a bearer; of both, Anthropic takes the older header.
  keyIn: (headers) => headerText(headers, 'x-api-key') || (headers.authorization ?? ''),
  read: readMessages,
  texts: promptTexts,
  promptParts,
  refused: errorBody,
  refusedInStream: errorEvent,
  counted: (tokens) => JSON.stringify({ input_tokens: tokens }),
}
