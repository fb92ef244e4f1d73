import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } from '@openai/agents'
import { OpenAI } from 'openai'
import { z } from 'zod'
import { ADD, OUTPUT_MAX, prompt, sum } from '../../journey.js'

setTracingDisabled(true)

export const kinds = ['agent-loop']

const add = tool({
  name: ADD.name,
  description: ADD.description,
  parameters: z.object({ n: z.number() }),
  execute: sum,
})

export async function observe({ baseURL, apiKey, model }) {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
  const agent = new Agent({
    name: 'tested',
    model: new OpenAIChatCompletionsModel(client, model),
    modelSettings: { maxTokens: OUTPUT_MAX },
    tools: [add],
  })
  const { rawResponses, finalOutput } = await run(agent, prompt('loop'), { maxTurns: 30 })
  return { rounds: rawResponses.length - 1, text: finalOutput }
}
