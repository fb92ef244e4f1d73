import { embed, generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai'
import { ADD, OUTPUT_MAX, PICTURE, prompt, SCHEMA, sum } from '../../journey.js'

/** Kinds of request and how the SDK asks them, whatever the provider of the model. */
export const chat = async (model) => (await generateText({ model, prompt: prompt('chat') })).text

export const stream = (model) => streamText({ model, prompt: prompt('stream') }).text

export const vision = async (model) => {
  const image = { type: 'image', image: `data:image/png;base64,${PICTURE}` }
  const content = [{ type: 'text', text: prompt('vision') }, image]
  return (await generateText({ model, messages: [{ role: 'user', content }] })).text
}

export const schema = async (model, providerOptions = {}) => {
  const output = Output.object({ schema: jsonSchema(SCHEMA) })
  return (await generateText({ model, prompt: prompt('schema'), output, providerOptions })).output
}

/** A loop of tools by the SDK itself. */
export const loop = async (model, providerOptions, maxOutputTokens = OUTPUT_MAX) => {
  const inputSchema = jsonSchema(ADD.schema)
  const { steps, text } = await generateText({
    model,
    prompt: prompt('loop'),
    maxOutputTokens,
    providerOptions,
    tools: { add: tool({ description: ADD.description, inputSchema, execute: sum }) },
    stopWhen: stepCountIs(30),
  })
  return { rounds: steps.length - 1, text, thought: steps[0].reasoningText ?? null }
}

export const embeddings = async (model) =>
  (await embed({ model, value: prompt('embeddings') })).embedding
