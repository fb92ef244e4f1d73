import { MESSAGES } from './request.js'

/** What a version of the AI SDK shows of an answer: text, calls, usage, and the parts of a stream. */
export const aiClient = ({ generateText, streamText, providerOf, tools }) => ({
  kinds: ['chat', 'stream', 'tools', 'tools-stream'],
  observe: async ({ baseURL, apiKey, model, kind }) => {
    const provider = providerOf({ name: 'tested', baseURL, apiKey })
    const asked = {
      model: provider(model),
      messages: MESSAGES,
      maxRetries: 0,
      ...(kind.startsWith('tools') && { tools }),
    }
    const parts = []
    try {
      if (kind.includes('stream')) {
        for await (const part of streamText({ ...asked, onError() {} }).fullStream)
          parts.push(plain(part))
        return { parts }
      }
      const { text, reasoning, toolCalls, finishReason, usage } = await generateText(asked)
      return { text, reasoning, toolCalls, finishReason, usage }
    } catch (error) {
      return { parts, error: errorOf(error) }
    }
  },
})

const VARYING = ['request', 'response', 'warnings', 'messageId', 'performance']

/** A part without what differs from run to run: ids of the SDK's own, times, requests, headers. */
function plain(part) {
  const varying = part.type === 'source' ? [...VARYING, 'id'] : VARYING
  const kept = Object.fromEntries(Object.entries(part).filter(([name]) => !varying.includes(name)))
  return 'error' in kept ? { ...kept, error: errorOf(kept.error) } : kept
}

const errorOf = (error) => ({
  name: error?.name,
  message: error?.message ?? String(error),
  status: error?.statusCode,
  isRetryable: error?.isRetryable,
  body: error?.responseBody,
})
