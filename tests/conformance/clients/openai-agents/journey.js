import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  setTracingDisabled,
  tool,
} from '@openai/agents'
import { OpenAI } from 'openai'
import { z } from 'zod'
import { ADD, OUTPUT_MAX, PICTURE, prompt, sum } from '../../journey.js'

setTracingDisabled(true)

const add = tool({
  name: ADD.name,
  description: ADD.description,
  parameters: z.object({ n: z.number() }),
  execute: sum,
})
const agentOf = (model, more = {}) =>
  new Agent({ name: 'tested', model, modelSettings: { maxTokens: OUTPUT_MAX }, ...more })

/** Kinds of request and how an agent asks them, by either of the models that it knows. */
const asks = {
  chat: async (model) => (await run(agentOf(model), prompt('chat'))).finalOutput,
  stream: async (model) => {
    let text = ''
    const running = await run(agentOf(model), prompt('stream'), { stream: true })
    for await (const piece of running.toTextStream()) text += piece
    return text
  },
  vision: async (model) => {
    const image = { type: 'input_image', image: `data:image/png;base64,${PICTURE}` }
    const content = [{ type: 'input_text', text: prompt('vision') }, image]
    return (await run(agentOf(model), [{ role: 'user', content }])).finalOutput
  },
  schema: async (model) => {
    const agent = agentOf(model, { outputType: z.object({ city: z.string() }) })
    return (await run(agent, prompt('schema'))).finalOutput
  },
  'agent-loop': async (model) => {
    const running = await run(agentOf(model, { tools: [add] }), prompt('loop'), { maxTurns: 30 })
    return { rounds: running.rawResponses.length - 1, text: running.finalOutput }
  },
}
const RESPONSES = new Map([
  ['response', 'chat'],
  ['response-stream', 'stream'],
  ['response-vision', 'vision'],
  ['response-schema', 'schema'],
  ['response-agent-loop', 'agent-loop'],
])

export const kinds = [...Object.keys(asks), ...RESPONSES.keys()]
export function observe({ baseURL, apiKey, model, kind }) {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
  const asked = RESPONSES.get(kind)
  return asked === undefined
    ? asks[kind](new OpenAIChatCompletionsModel(client, model))
    : asks[asked](new OpenAIResponsesModel(client, model))
}
