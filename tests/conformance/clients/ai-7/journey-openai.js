import { createOpenAI } from '@ai-sdk/openai'
import { chat, embeddings, loop, schema, stream, vision } from './asks.js'

/** The provider knows no model but OpenAI's by name. */
const openai = { forceReasoning: true, reasoningEffort: 'high' }
const kept = { reasoningSummary: 'auto', store: false, include: ['reasoning.encrypted_content'] }

const asks = {
  chat: (provider, model) => chat(provider.chat(model)),
  stream: (provider, model) => stream(provider.chat(model)),
  vision: (provider, model) => vision(provider.chat(model)),
  schema: (provider, model) => schema(provider.chat(model)),
  // Its chat has no place for thoughts.
  'agent-loop': async (provider, model) => {
    const { rounds, text } = await loop(provider.chat(model), { openai })
    return { rounds, text }
  },
  embeddings: (provider, model) => embeddings(provider.embeddingModel(model)),
  response: (provider, model) => chat(provider.responses(model)),
  'response-stream': (provider, model) => stream(provider.responses(model)),
  'response-vision': (provider, model) => vision(provider.responses(model)),
  'response-schema': (provider, model) => schema(provider.responses(model)),
  'response-loop': (provider, model) =>
    loop(provider.responses(model), { openai: { ...openai, ...kept } }),
}

export const kinds = Object.keys(asks)
export const observe = ({ baseURL, apiKey, model, kind }) =>
  asks[kind](createOpenAI({ baseURL, apiKey }), model)
