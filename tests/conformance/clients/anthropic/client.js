import Anthropic from '@anthropic-ai/sdk'
import { MESSAGES, TOOLS } from '../../request.js'

export const protocol = 'claude'
export const kinds = ['chat', 'stream', 'tools', 'tools-stream']

const tools = TOOLS.map(({ function: { name, description, parameters } }) => ({
  name,
  description,
  input_schema: parameters,
}))

export async function observe({ baseURL, apiKey, model, kind }) {
  const client = new Anthropic({ baseURL: baseURL.replace(/\/v1$/, ''), apiKey, maxRetries: 0 })
  const asked = {
    model,
    max_tokens: 1_000,
    messages: MESSAGES,
    ...(kind.startsWith('tools') && { tools }),
  }
  const events = []
  try {
    if (!kind.includes('stream')) return { answer: await client.messages.create(asked) }
    const stream = client.messages.stream(asked)
    for await (const event of stream) events.push(structuredClone(event))
    return { events, final: await stream.finalMessage() }
  } catch (error) {
    const { status, type, error: body, message } = error
    const { name } = error.constructor
    const header = (of) => error.headers?.get(of) ?? null
    const retry = { after: header('retry-after'), should: header('x-should-retry') }
    return {
      events,
      error: { name, status, type, body, retry, ...(status === undefined && { message }) },
    }
  }
}
