import { expect, test } from 'vitest'
import type { JsonObject } from '../../json.ts'
import { readChat } from './read-chat.ts'
import { toolNames } from './tools.ts'

const LOOK = { type: 'function', name: 'look', parameters: { type: 'object' } }
const SAY = { type: 'custom', name: 'say' }
const read = (tools: readonly JsonObject[], more: JsonObject = {}) =>
  readChat({ model: 'm', input: 'hi', tools, ...more })

test('given a tool of free text, when read for another protocol, then it is a function of one text', () => {
  const format = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' }
  const [tool] = read([{ ...SAY, description: 'Says', format }]).tools
  expect(tool).toMatchObject({
    name: 'say',
    description: 'Says',
    schema: { properties: { input: { type: 'string' } }, required: ['input'] },
  })
  expect(JSON.stringify(tool)).toContain('grammar (lark):\\nstart: \\"x\\"')
})

test('given a namespace, when read for another protocol, then its tools have its name in theirs', () => {
  const tools = [
    LOOK,
    { type: 'namespace', name: 'crm', description: 'Customers', tools: [LOOK, SAY] },
  ]
  const chat = read(tools)
  expect(chat.tools.map(({ name }) => name)).toEqual(['look', 'crm__look', 'crm__say'])
  expect(chat.system).toMatchObject([{ text: 'Tools named crm__*: Customers' }])
  expect(toolNames({ input: 'hi', tools })).toEqual({
    crm__look: { name: 'look', namespace: 'crm', kind: 'function' },
    crm__say: { name: 'say', namespace: 'crm', kind: 'custom' },
  })
})

test.each([
  ['long', 'n'.repeat(70)],
  ['with other characters', 'a.b c'],
  ['that begin with a digit', '1st'],
])(
  'given namespaces %s, when their tools are named, then names fit and stay different',
  (...row) => {
    const [, name] = row
    const namespaces = [name, `${name}!`].map((one) => ({
      type: 'namespace',
      name: one,
      tools: [LOOK],
    }))
    const names = read(namespaces).tools.map((tool) => tool.name)
    expect(new Set(names).size).toBe(2)
    for (const one of names) expect(one).toMatch(/^[\w-]{1,64}$/)
    expect(Object.keys(toolNames({ input: 'hi', tools: namespaces }))).toEqual(names)
  },
)

test.each<[string, readonly JsonObject[]]>([
  ['a tool that only its provider runs', [LOOK, { type: 'file_search', vector_store_ids: ['v'] }]],
  ['a search of pages that OpenAI has', [{ type: 'web_search', external_web_access: false }]],
  [
    'two tools of one name',
    [
      { ...LOOK, name: 'a__look' },
      { type: 'namespace', name: 'a', tools: [LOOK] },
    ],
  ],
  ['a free text and a function of one name', [LOOK, { ...SAY, name: 'look' }]],
])('given %s, when read for another protocol, then refused by name', (_what, tools) => {
  expect(() => read(tools)).toThrow(expect.objectContaining({ param: 'tools' }))
})

test('given a search that others lack beside tools of the client, when read, then it is left out', () => {
  const chat = read([LOOK, { type: 'web_search', external_web_access: false }], {
    include: ['reasoning.encrypted_content', 'web_search_call.action.sources'],
  })
  expect(chat.tools.map(({ name }) => name)).toEqual(['look'])
  expect(chat).not.toHaveProperty('search')
  const chosen = { tool_choice: { type: 'web_search' } }
  expect(() => read([LOOK, { type: 'web_search', external_web_access: false }], chosen)).toThrow(
    expect.objectContaining({ param: 'tools' }),
  )
  expect(read([LOOK, { type: 'web_search' }], chosen)).toMatchObject({ toolChoice: 'search' })
})

test('given a search for tools that the client makes, when it found some, then the model has them', () => {
  const search = { type: 'tool_search', execution: 'client', description: 'Finds tools' }
  const found = {
    type: 'namespace',
    name: 'mail',
    description: '',
    tools: [{ ...LOOK, defer_loading: true }],
  }
  const asked = {
    type: 'tool_search_call',
    execution: 'client',
    call_id: 'c',
    arguments: { query: 'q' },
  }
  const output = { type: 'tool_search_output', execution: 'client', call_id: 'c', tools: [found] }
  const chat = read([search], { input: [{ role: 'user', content: 'hi' }, asked, output] })
  expect(chat.tools.map(({ name }) => name)).toEqual(['tool_search', 'mail__look'])
  expect(chat.turns.slice(1)).toMatchObject([
    { blocks: [{ type: 'tool-call', id: 'c', name: 'tool_search', input: { query: 'q' } }] },
    { blocks: [{ type: 'tool-result', id: 'c', blocks: [{ text: 'Found: mail__look' }] }] },
  ])
})

test.each([
  [{ type: 'custom', name: 'say' }, 'say'],
  [{ type: 'function', name: 'look', namespace: 'crm' }, 'crm__look'],
])('given the choice %j, when read for another protocol, then it is of %s', (choice, name) => {
  expect(read([LOOK, SAY], { tool_choice: choice }).toolChoice).toEqual({ name })
})
