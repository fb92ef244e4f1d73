import { bodyOf } from './request.js'

/** What a version of the official `openai` package shows of an answer: objects, chunks, errors. */
export const openAiClient = (OpenAI) => ({
  kinds: ['chat', 'stream', 'stream-usage', 'tools', 'tools-stream'],
  observe: async ({ baseURL, apiKey, model, kind }) => {
    const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
    const chunks = []
    try {
      const answer = await client.chat.completions.create(bodyOf(kind, model))
      if (!kind.includes('stream')) return { answer }
      for await (const chunk of answer) chunks.push(chunk)
      return { chunks }
    } catch (error) {
      return { chunks, error: errorOf(error) }
    }
  },
})

export function errorOf(error) {
  const { status, code, type, param, message, headers } = error
  const header = (name) => headers?.get?.(name) ?? headers?.[name] ?? null
  return {
    name: error.constructor.name,
    status,
    code,
    type,
    param,
    message,
    retryAfter: header('retry-after'),
    retryAfterMs: header('retry-after-ms'),
    shouldRetry: header('x-should-retry'),
  }
}
