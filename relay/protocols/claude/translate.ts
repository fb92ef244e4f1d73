import type { JsonObject } from '../../json.ts'
import { Untranslatable } from '../chat/chat-request.ts'
import { readChat } from '../openai/read-chat.ts'
import type { ClaudeTerms, Written } from '../translation.ts'
import { writeChat } from './write-chat.ts'

/** Puts a request of OpenAI's chat completions into Anthropic's words. */
export function translateRequest(body: JsonObject, terms: ClaudeTerms): Written {
  try {
    const written = { ...writeChat(readChat(body), terms), ...terms.override }
    const limit = written['max_tokens']
    const maxTokens = typeof limit === 'number' ? limit : null
    return { status: 'translated', json: JSON.stringify(written), maxTokens }
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error
    return { status: 'untranslatable', param: error.param, message: error.message }
  }
}
