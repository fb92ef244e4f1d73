// oxlint-disable unicorn/require-post-message-target-origin -- a worker's port has no origin; the rule means windows
import { parentPort } from 'node:worker_threads'
import { isObject } from '../json.ts'
import { clientProtocol } from '../protocols/client-protocols.ts'
import type { CountQuestion } from './token-counter.ts'
import { countWithin, type TokenCount } from './tokenizer/count-within.ts'
import { loadVocabulary, vocabularyOf } from './tokenizer/vocabularies.ts'

async function answer(question: CountQuestion): Promise<TokenCount> {
  const vocabulary = await loadVocabulary(vocabularyOf(question.model))
  const { texts, fixedTokens } = partsOf(question)
  const budget = { cpuMs, budgetMs: question.budgetMs }
  const count = countWithin(texts, (text) => vocabulary.count(text), budget)
  return { ...count, tokens: count.tokens + fixedTokens }
}

function partsOf(question: CountQuestion) {
  if (question.of === 'texts') return { texts: question.texts, fixedTokens: 0 }
  const body: unknown = JSON.parse(Buffer.from(question.body).toString('utf8'))
  const { endpoint, model } = question
  return clientProtocol(endpoint.protocol).promptParts(isObject(body) ? body : {}, endpoint, model)
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Null = the question could not be answered, say because a tool's schema is nested too deeply to be written out. */
parentPort?.on('message', (question: CountQuestion) => {
  answer(question).then(
    (count) => parentPort?.postMessage(count),
    () => parentPort?.postMessage(null),
  )
})
