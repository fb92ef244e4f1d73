import { OpenAI } from 'openai'
import { ADD, loop, OUTPUT_MAX, PICTURE, prompt, SCHEMA, sum } from '../../journey.js'

const PICTURE_URL = `data:image/png;base64,${PICTURE}`
const said = (kind, content = prompt(kind)) => [{ role: 'user', content }]
const format = { type: 'json_schema', json_schema: { name: 'place', schema: SCHEMA, strict: true } }

/** Kinds of request and how this client asks them. */
const asks = {
  chat: async (client, model, more = {}, messages = said('chat')) => {
    const { choices } = await client.chat.completions.create({ model, messages, ...more })
    return choices[0].message.content
  },
  stream: async (client, model) => {
    const asked = { model, messages: said('stream'), stream: true }
    let text = ''
    for await (const { choices } of await client.chat.completions.create(asked))
      text += choices[0]?.delta.content ?? ''
    return text
  },
  vision: (client, model) =>
    asks.chat(
      client,
      model,
      {},
      said('vision', [
        { type: 'text', text: prompt('vision') },
        { type: 'image_url', image_url: { url: PICTURE_URL } },
      ]),
    ),
  schema: async (client, model) =>
    JSON.parse(await asks.chat(client, model, { response_format: format }, said('schema'))),
  loop: (client, model) => {
    const messages = said('loop')
    const { schema: parameters, ...named } = ADD
    const tools = [{ type: 'function', function: { ...named, parameters } }]
    const options = { reasoning_effort: 'high', max_completion_tokens: OUTPUT_MAX }
    return loop(
      async () => {
        const asked = { model, messages, tools, ...options }
        const { choices } = await client.chat.completions.create(asked)
        const { message } = choices[0]
        messages.push(message)
        const calls = message.tool_calls ?? []
        return { calls, text: message.content, thought: message.reasoning_content }
      },
      ({ id, function: made }) => {
        const content = sum(JSON.parse(made.arguments))
        messages.push({ role: 'tool', tool_call_id: id, content })
      },
    )
  },
  embeddings: async (client, model) => {
    const asked = { model, input: 'Do embeddings.', encoding_format: 'float' }
    const { data } = await client.embeddings.create(asked)
    return data[0].embedding
  },
  response: async (client, model) =>
    (await client.responses.create({ model, input: prompt('chat') })).output_text,
  'response-loop': (client, model) => {
    const input = said('loop')
    const { schema: parameters, ...named } = ADD
    const tools = [{ type: 'function', ...named, parameters, strict: false }]
    const options = { reasoning: { effort: 'high', summary: 'auto' }, store: false }
    const include = ['reasoning.encrypted_content']
    return loop(
      async () => {
        const asked = { model, input, tools, include, max_output_tokens: OUTPUT_MAX, ...options }
        const { output, output_text: text } = await client.responses.create(asked)
        input.push(...output)
        const calls = output.filter(({ type }) => type === 'function_call')
        const reasoning = output.find(({ type }) => type === 'reasoning')
        return { calls, text, thought: reasoning?.summary[0]?.text }
      },
      ({ call_id, arguments: made }) => {
        const output = sum(JSON.parse(made))
        input.push({ type: 'function_call_output', call_id, output })
      },
    )
  },
}

export const kinds = Object.keys(asks)
export const observe = ({ baseURL, apiKey, model, kind }) =>
  asks[kind](new OpenAI({ baseURL, apiKey, maxRetries: 0 }), model)
