import Anthropic from '@anthropic-ai/sdk'
import { ADD, loop, OUTPUT_MAX, PICTURE, prompt, SCHEMA, sum } from '../../journey.js'

const said = (kind, content = prompt(kind)) => [{ role: 'user', content }]
const textOf = ({ content }) => content.find(({ type }) => type === 'text')?.text

/** Kinds of request and how this client asks them. */
const asks = {
  chat: async (client, asked, more = {}) =>
    textOf(await client.messages.create({ ...asked, messages: said('chat'), ...more })),
  stream: async (client, asked) =>
    textOf(await client.messages.stream({ ...asked, messages: said('stream') }).finalMessage()),
  vision: (client, asked) => {
    const source = { type: 'base64', media_type: 'image/png', data: PICTURE }
    const content = [
      { type: 'image', source },
      { type: 'text', text: prompt('vision') },
    ]
    return asks.chat(client, asked, { messages: said('vision', content) })
  },
  schema: async (client, asked) => {
    const output_config = { format: { type: 'json_schema', schema: SCHEMA } }
    return JSON.parse(await asks.chat(client, asked, { output_config, messages: said('schema') }))
  },
  loop: (client, asked) => {
    const messages = said('loop')
    const { schema: input_schema, ...named } = ADD
    const options = {
      tools: [{ ...named, input_schema }],
      thinking: { type: 'enabled', budget_tokens: OUTPUT_MAX / 2 },
    }
    return loop(
      async () => {
        const message = await client.messages.create({ ...asked, messages, ...options })
        const { content } = message
        messages.push({ role: 'assistant', content }, { role: 'user', content: [] })
        const calls = content.filter(({ type }) => type === 'tool_use')
        const thought = content.find(({ type }) => type === 'thinking')?.thinking
        return { calls, text: textOf(message), thought }
      },
      ({ id, input }) => {
        const { content } = messages.at(-1)
        content.push({ type: 'tool_result', tool_use_id: id, content: sum(input) })
      },
    )
  },
}

export const protocol = 'claude'
export const kinds = Object.keys(asks)
export const observe = ({ baseURL, apiKey, model, kind }) => {
  const client = new Anthropic({ baseURL: baseURL.replace(/\/v1$/, ''), apiKey, maxRetries: 0 })
  return asks[kind](client, { model, max_tokens: OUTPUT_MAX })
}
