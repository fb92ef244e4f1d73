import { expect, test } from 'vitest'
import { channelType } from '../../channel-types.ts'
import { bedrockId } from './model-id.ts'

test.each([
  ['claude-instant-1.2', 'us-east-1', 'anthropic.claude-instant-v1'],
  ['claude-2.1', 'eu-central-1', 'anthropic.claude-v2:1'],
  ['claude-3-5-sonnet-20241022', 'us-west-2', 'us.anthropic.claude-3-5-sonnet-20241022-v2:0'],
  [
    'claude-3-5-sonnet-20241022',
    'ap-northeast-1',
    'apac.anthropic.claude-3-5-sonnet-20241022-v2:0',
  ],
  ['claude-3-5-sonnet-20241022', 'eu-west-1', 'anthropic.claude-3-5-sonnet-20241022-v2:0'],
  ['claude-3-haiku-20240307', 'eu-west-1', 'eu.anthropic.claude-3-haiku-20240307-v1:0'],
  ['claude-3-7-sonnet-20250219', 'us-east-1', 'us.anthropic.claude-3-7-sonnet-20250219-v1:0'],
  ['claude-3-7-sonnet-20250219', 'ca-central-1', 'anthropic.claude-3-7-sonnet-20250219-v1:0'],
  [
    'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'us-east-1',
    'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  ],
])('given %s in %s, when asked for, then Bedrock calls it %s', (model, region, id) => {
  expect(bedrockId(model, region)).toBe(id)
})

test('given the models that the console offers for AWS, when asked for, then each has a name of Bedrock', () => {
  const models = channelType(33)?.defaultModels ?? []
  expect(models.length).toBeGreaterThan(5)
  for (const model of models) expect(bedrockId(model, 'us-east-1')).toMatch(/^(?:us\.)?anthropic\./)
})
