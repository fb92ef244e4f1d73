import type { ClientProtocol } from '../client-protocol.ts'
import { openAiClient } from '../openai/client.ts'
import { errorEvent } from './errors.ts'
import { promptParts, promptTexts } from './prompt.ts'
import { readResponses } from './request.ts'

/** Clients of OpenAI's responses: keys and errors are those of its other clients. */
export const responsesClient: ClientProtocol = {
  ...openAiClient,
  name: 'responses',
  read: readResponses,
  texts: promptTexts,
  promptParts: (body, _endpoint, model) => promptParts(body, model),
  counted: (tokens) => JSON.stringify({ object: 'response.input_tokens', input_tokens: tokens }),
  refusedInStream: (why, requestId) => errorEvent(why, requestId, 0),
}
