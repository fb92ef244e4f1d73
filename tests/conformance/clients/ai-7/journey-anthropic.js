import { createAnthropic } from '@ai-sdk/anthropic'
import { OUTPUT_MAX } from '../../journey.js'
import { chat, loop, schema, stream, vision } from './asks.js'

const thinking = { type: 'enabled', budgetTokens: OUTPUT_MAX / 2 }

const asks = {
  chat,
  stream,
  vision,
  // Of models that it does not know it asks for a tool's arguments instead.
  schema: (model) => schema(model, { anthropic: { structuredOutputMode: 'outputFormat' } }),
  loop: (model) => loop(model, { anthropic: { thinking } }),
}

export const protocol = 'claude'
export const kinds = Object.keys(asks)
export const observe = ({ baseURL, apiKey, model, kind }) =>
  asks[kind](createAnthropic({ baseURL, apiKey })(model))
