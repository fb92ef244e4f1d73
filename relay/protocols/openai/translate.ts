import type { JsonObject } from '../../json.ts'
import { Untranslatable } from '../chat/chat-request.ts'
import { isRefusal } from '../../refusal.ts'
import { chatClient } from '../chat-clients.ts'
import type { OpenAiTerms, ReadAgain } from '../translation.ts'
import { CHAT, readRequest } from './request.ts'
import { writeChat } from './write-chat.ts'

/** Puts a chat of another protocol's client into the words of chat completions, and reads it as such a request. */
export function translateChat(body: JsonObject, terms: OpenAiTerms): ReadAgain {
  try {
    const chat = chatClient(terms.from).readChat(body)
    const written = writeChat({ ...chat, stream: chat.stream || terms.stream }, terms)
    const bytes = Buffer.from(JSON.stringify(written))
    const read = readRequest(CHAT, bytes)
    if (isRefusal(read)) {
      return { status: 'untranslatable', param: read.param, message: read.message }
    }
    const { raw, body: _, ...request } = read
    return { status: 'read', request, raw }
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error
    return { status: 'untranslatable', param: error.param, message: error.message }
  }
}
