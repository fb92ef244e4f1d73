import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { chat, embeddings, loop, schema, stream, vision } from './asks.js'

const asks = {
  chat,
  stream,
  vision,
  schema,
  loop: (model) => loop(model, { tested: { reasoningEffort: 'high' } }),
}

export const kinds = [...Object.keys(asks), 'embeddings']
export const observe = ({ baseURL, apiKey, model, kind }) => {
  const options = { name: 'tested', baseURL, apiKey, supportsStructuredOutputs: true }
  const provider = createOpenAICompatible(options)
  return kind === 'embeddings'
    ? embeddings(provider.embeddingModel(model))
    : asks[kind](provider(model))
}
