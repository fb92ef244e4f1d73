import { createOpenAI } from '@ai-sdk/openai'
import { generateText, streamText, tool } from 'ai'
import { z } from 'zod'
import { aiClient } from '../../ai-client.js'

const weather = tool({
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
})

export const protocol = 'responses'
export const { kinds, observe } = aiClient({
  generateText,
  streamText,
  providerOf: (options) => (model) => createOpenAI(options).responses(model),
  tools: { weather },
})
