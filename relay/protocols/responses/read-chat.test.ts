import { expect, test } from 'vitest'
import type { JsonObject } from '../../json.ts'
import { readChat } from './read-chat.ts'

const HI = { role: 'user', content: 'hi' }
const read = (input: readonly JsonObject[]): unknown => readChat({ model: 'm', input })

test.each<[JsonObject]>([
  [{ id: 'msg_1' }],
  [{ type: 'item_reference', id: 'msg_1' }],
  [{ role: 'tool', content: 'seen' }],
  [{ type: 'web_search_call', id: 'ws_1' }],
  [{ type: 'custom_tool_call', call_id: 't', name: 'look', input: 'x' }],
])('given the item %j, when read for another protocol, then it is refused by name', (item) => {
  expect(() => read([HI, item])).toThrow(expect.objectContaining({ param: 'input' }))
})

test('given messages of every role, when read for another protocol, then all are there', () => {
  const roles = ['developer', 'user', 'assistant', 'system']
  expect(read(roles.map((role) => ({ role, content: role })))).toMatchObject({
    system: [{ text: 'developer' }, { text: 'system' }],
    turns: [
      { role: 'user', blocks: [{ text: 'user' }] },
      { role: 'assistant', blocks: [{ text: 'assistant' }] },
    ],
  })
})
