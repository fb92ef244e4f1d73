import { channelId } from '@tollgate/domain/ids.ts'
import { expect, test } from 'vitest'
import { channelType } from '../../channel-types.ts'
import { channelFacts } from '../../directory/channel-facts.ts'
import { PLAIN_TERMS } from '@tollgate/tests/support/relay/relay-under-test.ts'
import { vertexId } from './model-id.ts'
import { placeOf } from './place.ts'

const KEY = '{"project_id":"p q","client_email":"e","private_key":"k"}'
function placed(other: string, baseUrl = ''): unknown {
  const terms = { ...PLAIN_TERMS, type: 41, other, baseUrl }
  const facts = channelFacts({ id: channelId(1), terms, isEnabled: true, key: KEY, proxy: '' })
  return facts && placeOf(facts, 'gemini-2.5-pro')
}

test.each([
  ['us-east5', 'https://us-east5-aiplatform.googleapis.com', 'us-east5'],
  ['global', 'https://aiplatform.googleapis.com', 'global'],
  ['eu', 'https://aiplatform.eu.rep.googleapis.com', 'eu'],
  ['us', 'https://aiplatform.us.rep.googleapis.com', 'us'],
  ['{"gemini-2.5-pro":"us","default":"global"}', 'https://aiplatform.us.rep.googleapis.com', 'us'],
  ['{"other":"us","default":"global"}', 'https://aiplatform.googleapis.com', 'global'],
])('given the region %s, when placed, then the host is %s', (other, baseUrl, region) => {
  const location = `/projects/p%20q/locations/${region}`
  expect(placed(other)).toEqual({ baseUrl, location })
  expect(placed(other, 'https://vertex.example')).toEqual({
    baseUrl: 'https://vertex.example',
    location,
  })
})

test.each(['', 'US-EAST5', 'a.b', 'us-east5/x', '{', '{"default":1}', '{"other":"us"}'])(
  'given the region %j, when placed, then it is refused',
  (other) => expect(placed(other)).toMatchObject({ code: 'invalid_channel' }),
)

test.each([
  ['claude-3-opus-20240229', 'claude-3-opus@20240229'],
  ['claude-3-5-sonnet-20241022', 'claude-3-5-sonnet-v2@20241022'],
  ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5@20250929'],
  ['claude-opus-4-6', 'claude-opus-4-6'],
  ['claude-opus-4-1@20250805', 'claude-opus-4-1@20250805'],
])('given %s, when asked for, then Vertex calls it %s', (model, id) => {
  expect(vertexId(model)).toBe(id)
})

test('given the models offered for Vertex, when looked up, then none has a dash before its date', () => {
  const models = (channelType(41)?.defaultModels ?? []).filter((one) => one.startsWith('claude'))
  expect(models.length).toBeGreaterThan(5)
  for (const model of models) expect(vertexId(model)).not.toMatch(/-\d{8}$/)
})
