import type { JsonObject } from '../../json.ts'
import { Untranslatable } from '../chat/chat-request.ts'
import { chatClient } from '../chat-clients.ts'
import type { ClaudeTerms, Written } from '../translation.ts'
import { writeChat } from './write-chat.ts'

/** Puts a chat of another protocol's client into Anthropic's words. */
export function translateRequest(body: JsonObject, terms: ClaudeTerms): Written {
  try {
    const chat = chatClient(terms.from).readChat(body)
    const written = {
      ...writeChat({ ...chat, stream: chat.stream || terms.stream }, terms),
      ...terms.override,
    }
    const limit = written['max_tokens']
    const maxTokens = typeof limit === 'number' ? limit : null
    return { status: 'translated', json: JSON.stringify(written), maxTokens }
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error
    return { status: 'untranslatable', param: error.param, message: error.message }
  }
}
