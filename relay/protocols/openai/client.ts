import { headerText } from '../../upstream/header-text.ts'
import type { ClientProtocol } from '../client-protocol.ts'
import { errorBody, errorEvent } from './errors.ts'
import { promptParts } from './prompt-parts.ts'
import { promptTexts } from './prompt-texts.ts'
import { readScanned } from './request.ts'

/** Clients of OpenAI's chat completions, completions and embeddings. */
export const openAiClient: ClientProtocol = {
  name: 'openai',
  idHeader: 'x-request-id',
  // Azure's SDKs send their key in a header of its own.
  keyIn: (headers) => headers.authorization ?? headerText(headers, 'api-key'),
  read: readScanned,
  texts: (body, { required }) => promptTexts(body, required),
  promptParts: (body, { required }, model) => promptParts(body, required, model),
  refused: errorBody,
  refusedInStream: errorEvent,
}
