import { Agent, run, setTracingDisabled, tool } from '@openai/agents'
import { OpenAI } from 'openai'
import { z } from 'zod'

setTracingDisabled(true)

const weather = tool({
  name: 'weather',
  description: 'The weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `sunny in ${city}`,
})

/** What an agent shows of an answer, by either of the models that it knows. */
export const agentClient = (Model) => ({
  kinds: ['chat', 'stream', 'tools', 'tools-stream'],
  observe: async ({ baseURL, apiKey, model, kind }) => {
    const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
    const agent = new Agent({
      name: 'tested',
      model: new Model(client, model),
      tools: kind.startsWith('tools') ? [weather] : [],
      toolUseBehavior: 'stop_on_first_tool',
    })
    const events = []
    try {
      if (!kind.includes('stream')) return shown(await run(agent, 'What is the weather?'))
      const streamed = await run(agent, 'What is the weather?', { stream: true })
      for await (const event of streamed) {
        if (event.type === 'raw_model_stream_event') events.push(event.data.type)
      }
      await streamed.completed
      return { events, ...shown(streamed) }
    } catch (error) {
      const { name, message, status, code } = error
      return { events, error: { name, message, status, code } }
    }
  },
})

const shown = ({ finalOutput, rawResponses }) => ({
  finalOutput,
  answers: rawResponses.map(({ output, usage }) => ({ output, usage })),
})
