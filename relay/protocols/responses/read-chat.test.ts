import { expect, test } from 'vitest'
import type { JsonObject } from '../../json.ts'
import { readChat } from './read-chat.ts'

const HI = { role: 'user', content: 'hi' }
const read = (input: readonly JsonObject[]): unknown => readChat({ model: 'm', input })

test.each<[JsonObject]>([
  [{ id: 'msg_1' }],
  [{ type: 'item_reference', id: 'msg_1' }],
  [{ role: 'tool', content: 'seen' }],
  [{ type: 'local_shell_call', id: 'ls_1' }],
  [{ type: 'image_generation_call', id: 'ig_1', result: null }],
  [{ type: 'compaction', encrypted_content: 'x' }],
])('given the item %j, when read for another protocol, then it is refused by name', (item) => {
  expect(() => read([HI, item])).toThrow(expect.objectContaining({ param: 'input' }))
})

test.each([
  ['iVBORw0KGgoAAAA', 'image/png'],
  ['/9j/4AAQ', 'image/jpeg'],
  ['UklGRiQA', 'image/webp'],
])(
  'given a picture that was drawn (%s), when read for another protocol, then it is %s',
  (...given) => {
    const [base64, mime] = given
    const drawn = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: base64 }
    const picture = { type: 'media', kind: 'image', source: { mime, base64 } }
    expect(read([HI, drawn])).toMatchObject({
      turns: [{ role: 'user' }, { role: 'assistant', blocks: [picture] }],
    })
  },
)

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

test('given searches of the web in an earlier answer, when read for another protocol, then its text stays', () => {
  const searched = { type: 'web_search_call', id: 'ws_1', status: 'completed' }
  expect(read([HI, searched, { role: 'assistant', content: 'So.' }])).toMatchObject({
    turns: [{ role: 'user' }, { role: 'assistant', blocks: [{ text: 'So.' }] }],
  })
})

test.each(['low', 'high'])(
  'given the verbosity %s, when read for another protocol, then it is left out',
  (verbosity) => {
    const plain = { model: 'm', input: 'hi' }
    expect(readChat({ ...plain, text: { verbosity } })).toEqual(readChat(plain))
  },
)
