import { errorOf } from './openai-client.js'
import { MESSAGES, TOOLS } from './request.js'

const tools = TOOLS.map(({ type, function: named }) => ({ type, ...named, strict: false }))

/** What a version of the official `openai` package shows of a response: the object, its events, what they add up to. */
export const responsesClient = (OpenAI) => ({
  protocol: 'responses',
  kinds: ['chat', 'stream', 'tools', 'tools-stream'],
  observe: async ({ baseURL, apiKey, model, kind }) => {
    const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
    const asked = { model, input: MESSAGES, ...(kind.startsWith('tools') && { tools }) }
    const events = []
    try {
      if (!kind.includes('stream')) return { answer: await client.responses.create(asked) }
      const stream = client.responses.stream(asked)
      for await (const event of stream) events.push(structuredClone(event))
      return { events, final: await stream.finalResponse() }
    } catch (error) {
      return { events, error: errorOf(error) }
    }
  },
})
