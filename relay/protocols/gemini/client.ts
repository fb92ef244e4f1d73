import { isObject } from '../../json.ts'
import { headerText } from '../../upstream/header-text.ts'
import type { ClientProtocol } from '../client-protocol.ts'
import { errorBody, errorEvent } from './errors.ts'
import { promptParts, promptTexts } from './prompt.ts'
import { readGemini } from './request.ts'

/** Clients of Google's Gemini API. */
export const geminiClient: ClientProtocol = {
  name: 'gemini',
  idHeader: 'x-request-id',
  keyIn: (headers, query) =>
    headerText(headers, 'x-goog-api-key') || keyOf(query) || (headers.authorization ?? ''),
  read: readGemini,
  texts: promptTexts,
  promptParts,
  refused: errorBody,
  refusedInStream: (why, requestId, { streams }) =>
    streams === 'list' ? `[${errorBody(why, requestId)}]` : errorEvent(why, requestId),
  counted: (tokens) => JSON.stringify({ totalTokens: tokens }),
}

function keyOf(query: unknown): string {
  const key = isObject(query) ? query['key'] : ''
  return typeof key === 'string' ? key : ''
}
