import { isObject, type JsonObject } from '../../json.ts'
import { Untranslatable } from '../chat/chat-request.ts'
import { chatClient } from '../chat-clients.ts'
import type { GeminiTerms, Written } from '../translation.ts'
import { batchOf } from './embeddings.ts'
import { outputLimit } from './settings.ts'
import { writeChat } from './write-chat.ts'

/** Puts a chat, or a question for vectors, of another protocol's client into Google's words. */
export function translateGemini(body: JsonObject, terms: GeminiTerms): Written {
  try {
    const written: JsonObject = terms.asksForVectors
      ? { ...batchOf(body, terms.model), ...terms.override }
      : writeChat(chatClient(terms.from).readChat(body), terms)
    const config = written['generationConfig']
    const maxTokens = isObject(config) ? outputLimit(config) : null
    return { status: 'translated', json: JSON.stringify(written), maxTokens }
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error
    return { status: 'untranslatable', param: error.param, message: error.message }
  }
}
