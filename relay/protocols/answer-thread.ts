// oxlint-disable unicorn/require-post-message-target-origin -- a worker's port has no origin; the rule means windows
import { parentPort } from 'node:worker_threads'
import { isObject } from '../json.ts'
import type { ReadQuestion, ReadReply } from './answer-reader.ts'
import { translateRequest } from './claude/translate.ts'
import { translateGemini } from './gemini/translate.ts'
import { editedMessages } from './openai/message-rules.ts'
import { translateChat } from './openai/translate.ts'
import { readReply } from './read-reply.ts'
import type { TranslatedRequest } from './translation.ts'

function answer(question: ReadQuestion): ReadReply | TranslatedRequest {
  const { buffer, byteOffset, byteLength } = question.body
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  if (question.of === 'request') {
    const { terms } = question
    if (terms.into === 'messages') return editedMessages(terms.rules, bytes)
    const body: unknown = JSON.parse(bytes.toString('utf8'))
    const request = isObject(body) ? body : {}
    if (terms.into === 'gemini') return translateGemini(request, terms)
    return terms.into === 'claude'
      ? translateRequest(request, terms)
      : translateChat(request, terms)
  }
  const { protocol, endpoint, now, stream } = question
  const reply = readReply(protocol, { endpoint, body: bytes, now, stream })
  return reply.status === 'answered' ? { ...reply, output: reply.output.facts() } : reply
}

parentPort?.on('message', (question: ReadQuestion) => parentPort?.postMessage(answer(question)))
