import type { JsonObject } from '../../json.ts'
import { Untranslatable } from '../chat/chat-request.ts'
import { bareCalls, withThoughts } from '../chat/kept-thought.ts'
import { chatClient } from '../chat-clients.ts'
import type { ClaudeTerms, Written } from '../translation.ts'
import { wantsOlderVersion } from './version.ts'
import { asksToThink, hasLostThoughts, isThought, writeChat } from './write-chat.ts'

/** Puts a chat of another protocol's client into Anthropic's words. */
export function translateRequest(body: JsonObject, terms: ClaudeTerms): Written {
  try {
    const read = chatClient(terms.from).readChat(body)
    const thinks = asksToThink(read, terms)
    const turns = withThoughts(read.turns, terms.thoughts ?? new Map(), isThought)
    const chat = { ...read, turns, stream: read.stream || terms.stream }
    const written = { ...writeChat(chat, terms), ...terms.override }
    const limit = written['max_tokens']
    const maxTokens = typeof limit === 'number' ? limit : null
    return {
      status: 'translated',
      json: JSON.stringify(written),
      maxTokens,
      bareCalls: thinks ? bareCalls(turns, isThought) : [],
      isThinkingLost: thinks && hasLostThoughts(turns),
      wantsOlderVersion: wantsOlderVersion(chat, written),
    }
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error
    return { status: 'untranslatable', param: error.param, message: error.message }
  }
}
