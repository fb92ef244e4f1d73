import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai'
import { ADD, OUTPUT_MAX, PICTURE, prompt, SCHEMA, sum } from '../../journey.js'

/** Kinds of request and how this client asks them. */
const asks = {
  chat: async (model) => (await generateText({ model, prompt: prompt('chat') })).text,
  stream: (model) => streamText({ model, prompt: prompt('stream') }).text,
  vision: async (model) => {
    const image = { type: 'image', image: `data:image/png;base64,${PICTURE}` }
    const content = [{ type: 'text', text: prompt('vision') }, image]
    return (await generateText({ model, messages: [{ role: 'user', content }] })).text
  },
  schema: async (model) => {
    const output = Output.object({ schema: jsonSchema(SCHEMA) })
    return (await generateText({ model, prompt: prompt('schema'), output })).output
  },
  loop: async (model) => {
    const inputSchema = jsonSchema(ADD.schema)
    const { steps, text } = await generateText({
      model,
      prompt: prompt('loop'),
      maxOutputTokens: OUTPUT_MAX,
      providerOptions: { tested: { reasoningEffort: 'high' } },
      tools: { add: tool({ description: ADD.description, inputSchema, execute: sum }) },
      stopWhen: stepCountIs(30),
    })
    return { rounds: steps.length - 1, text, thought: steps[0].reasoningText ?? null }
  },
}

export const kinds = Object.keys(asks)
export const observe = ({ baseURL, apiKey, model, kind }) => {
  const options = { name: 'tested', baseURL, apiKey, supportsStructuredOutputs: true }
  return asks[kind](createOpenAICompatible(options)(model))
}
