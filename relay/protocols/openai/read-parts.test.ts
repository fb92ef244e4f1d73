import { expect, test } from 'vitest'
import type { JsonObject } from '../../json.ts'
import { writeMessage } from '../claude/write-parts.ts'
import { writeResponse } from '../responses/write-parts.ts'
import type { ChatPart } from '../chat/chat-part.ts'
import { ChunkReader } from './read-parts.ts'

/** Clients of other protocols receive what providers answer beyond OpenAI's own protocol. */
function readAll(...deltas: readonly JsonObject[]): readonly ChatPart[] {
  const reader = new ChunkReader(0)
  const chunks = [...deltas.map((delta) => ({ delta })), { delta: {}, finish_reason: 'stop' }]
  const told = chunks.flatMap((choice) => reader.of({ id: 'c', model: 'm', choices: [choice] }))
  return [...told, ...reader.end()]
}
const contentOf = (...deltas: readonly JsonObject[]): unknown =>
  writeMessage(readAll(...deltas), null)['content']

const PNG = 'data:image/png;base64,iVBORw'
const picture = (url: string): JsonObject => ({ type: 'image_url', image_url: { url } })
const thinking = (text: string): JsonObject => ({
  type: 'thinking',
  thinking: [{ type: 'text', text }],
})

test('given thoughts and text in a list, when read, then both are told', () => {
  const deltas = [
    { content: [thinking('Fir')] },
    { content: [thinking('st')] },
    { content: [{ type: 'text', text: '4' }] },
    { content: '2' },
  ]
  expect(contentOf(...deltas)).toEqual([
    { type: 'thinking', thinking: 'First', signature: '' },
    { type: 'text', text: '42' },
  ])
})

test('given pictures beside the text or in it, when read, then they are told', () => {
  expect(contentOf({ content: 'Look: ', images: [picture(PNG)] })).toEqual([
    { type: 'text', text: 'Look: ' },
    { type: 'text', text: `![image](${PNG})` },
  ])
  const inList = [{ type: 'text', text: 'A' }, picture('https://a.example/b.png')]
  expect(contentOf({ content: inList })).toEqual([
    { type: 'text', text: 'A![image](https://a.example/b.png)' },
  ])
  expect(writeResponse(readAll({ images: [picture(PNG)] }), null, 1)['output']).toMatchObject([
    { type: 'image_generation_call', result: 'iVBORw' },
  ])
})

const PAGE = { url: 'https://a.example/', title: 'A page' }
const cited = (start_index: number, end_index: number): JsonObject => ({
  type: 'url_citation',
  url_citation: { ...PAGE, start_index, end_index },
})

test('given pages that a text cites, when told to clients of responses, then by their places', () => {
  const parts = readAll(
    { content: 'It is ' },
    { content: 'so.' },
    { annotations: [cited(6, 9), cited(0, 99), { type: 'file_citation' }] },
  )
  const place = (start_index: number, end_index: number): JsonObject => ({
    type: 'url_citation',
    ...PAGE,
    start_index,
    end_index,
  })
  expect(writeResponse(parts, null, 1)['output']).toMatchObject([
    { content: [{ text: 'It is so.', annotations: [place(6, 9), place(0, 9)] }] },
  ])
})

test('given pages behind a text that has ended, when read, then the text alone is told', () => {
  const call = { index: 0, id: 't', function: { name: 'look', arguments: '{}' } }
  const deltas = [{ content: 'So.' }, { tool_calls: [call] }, { annotations: [cited(0, 3)] }]
  expect(readAll(...deltas).map(({ type }) => type)).not.toContain('citation')
})

const called = (index: number, id: string, name: string, json: unknown): JsonObject => ({
  tool_calls: [{ index, ...(id !== '' && { id }), function: { name, arguments: json } }],
})
const use = (id: string, name: string, input: object): JsonObject => ({
  type: 'tool_use',
  id,
  name,
  input,
})

test.each([
  [
    'side by side',
    [
      called(0, 'a', 'look', '{"at":'),
      called(1, 'b', 'look', '{"at":'),
      called(0, '', '', '1}'),
      called(1, '', '', '2}'),
    ],
  ],
  [
    'at one index',
    [called(0, 'a', 'look', '{"at":1}'), called(0, 'b', 'look', '{"at":'), called(0, '', '', '2}')],
  ],
  [
    'with ids that change within a call',
    [
      called(0, 'a', 'look', '{"at"'),
      called(0, 'x', '', ':1}'),
      called(1, 'b', 'look', '{"at":2'),
      called(1, 'y', '', '}'),
    ],
  ],
  [
    'with objects in place of JSON',
    [called(0, 'a', 'look', { at: 1 }), called(1, 'b', 'look', { at: 2 })],
  ],
])('given tool calls %s, when read, then each becomes one call', (_what, deltas) => {
  expect(contentOf(...deltas)).toEqual([use('a', 'look', { at: 1 }), use('b', 'look', { at: 2 })])
})

test('given calls without ids, when read, then each has one of its own', () => {
  const content = contentOf(called(0, '', 'look', '{}'), called(1, '', 'look', '{}'))
  expect(content).toEqual([use('call_c_0', 'look', {}), use('call_c_1', 'look', {})])
})

test('given calls without ids in answers without names, when read, then no two have one id', () => {
  const delta = called(0, '', 'look', '{}')
  const ids = [1, 2].flatMap((answeredAt) =>
    new ChunkReader(answeredAt)
      .of({ choices: [{ delta }] })
      .flatMap((part) => (part.type === 'open' && part.kind === 'tool-call' ? [part.id] : [])),
  )
  expect(new Set(ids).size).toBe(2)
})

test('given a call without an id in an answer of a long name, when read, then all providers take its id', () => {
  const reader = new ChunkReader(0)
  const delta = called(0, '', 'look', '{}')
  const id = `chatcmpl-2026/11:${'a'.repeat(40)}`
  const [, opened] = reader.of({ id, model: 'm', choices: [{ delta }] })
  expect(opened).toMatchObject({ id: expect.stringMatching(/^call_[\w-]{1,33}_0$/) })
})

test.each([
  ['with one name', ['look', 'look']],
  ['with two names', ['look', 'go']],
])('given calls at one index without ids %s, when read, then each is one', (_what, names) => {
  const [first = '', second = ''] = names
  const deltas = [
    called(0, '', first, '{"at":1}'),
    called(0, '', second, '{"at":'),
    called(0, '', second, ''),
    called(0, '', '', '2}'),
  ]
  expect(contentOf(...deltas)).toEqual([
    use('call_c_0', first, { at: 1 }),
    use('call_c_1', second, { at: 2 }),
  ])
})

test('given a call whose pieces repeat its name or have none, when read, then it is one', () => {
  const deltas = [
    called(0, '', 'look', ''),
    called(0, '', 'look', '{"at":{"x":1}'),
    called(0, '', 'look', ',"y":2'),
    called(0, '', '', '}'),
  ]
  expect(contentOf(...deltas)).toEqual([use('call_c_0', 'look', { at: { x: 1 }, y: 2 })])
})
