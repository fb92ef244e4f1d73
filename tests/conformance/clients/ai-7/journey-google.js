import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { chat, embeddings, loop, schema, stream, vision } from './asks.js'

const thinkingConfig = { thinkingBudget: 24_576, includeThoughts: true }

const asks = {
  chat,
  stream,
  vision,
  schema,
  loop: (model) => loop(model, { google: { thinkingConfig } }, 40_000),
}

export const protocol = 'gemini'
export const kinds = [...Object.keys(asks), 'gemini-embeddings']
export const observe = ({ baseURL, apiKey, model, kind }) => {
  const provider = createGoogleGenerativeAI({ baseURL: `${baseURL}beta`, apiKey })
  return kind === 'gemini-embeddings'
    ? embeddings(provider.embeddingModel(model))
    : asks[kind](provider(model))
}
