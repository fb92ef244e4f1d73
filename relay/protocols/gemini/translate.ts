import { isObject, type JsonObject } from '../../json.ts'
import { Untranslatable } from '../chat/chat-request.ts'
import { bareCalls, withThoughts } from '../chat/kept-thought.ts'
import { chatClient } from '../chat-clients.ts'
import type { GeminiTerms, Written } from '../translation.ts'
import { batchOf, geminiInputs, instancesOf, openAiInputs, singleOf } from './embeddings.ts'
import { outputLimit } from './settings.ts'
import { isThought, writeChat } from './write-chat.ts'

/** Puts a chat, or a question for vectors, of another protocol's client into Google's words. */
export function translateGemini(body: JsonObject, terms: GeminiTerms): Written {
  try {
    if (terms.vectors !== null) {
      const asked = terms.from === 'gemini' ? geminiInputs(body) : openAiInputs(body)
      return translated({ ...VECTORS[terms.vectors](asked, terms.model), ...terms.override }, [])
    }
    const read = chatClient(terms.from).readChat(body)
    const turns = withThoughts(read.turns, terms.thoughts ?? new Map(), isThought)
    return translated(writeChat({ ...read, turns }, terms), bareCalls(turns, isThought))
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error
    return { status: 'untranslatable', param: error.param, message: error.message }
  }
}

const VECTORS = { batch: batchOf, predict: instancesOf, single: singleOf }

function translated(written: JsonObject, calls: readonly string[]): Written {
  const config = written['generationConfig']
  const maxTokens = isObject(config) ? outputLimit(config) : null
  const json = JSON.stringify(written)
  // Google's models go on thinking although earlier thoughts are lost.
  return { status: 'translated', json, maxTokens, bareCalls: calls, isThinkingLost: false }
}
