import { expect, test } from 'vitest'
import { chatModel } from './chat-model.ts'

test.each([
  [['babbage-002', 'gpt-4o', 'gpt-4o-mini'], 'gpt-4o-mini'],
  [['babbage-002', 'dall-e-3', 'text-embedding-3-small', 'gpt-4'], 'gpt-4'],
  [['bge-large-zh', 'llama3.2'], 'llama3.2'],
  [['gpt-3.5-turbo-instruct', 'o3-mini'], 'o3-mini'],
  [['whisper-1'], 'whisper-1'],
  [[], 'gpt-4o-mini'],
])('given %j on offer, when a chat is to be tried, then with %s', (models, model) => {
  expect(chatModel(models)).toBe(model)
})
