import { expect, test } from 'vitest'
import { readChat } from './read-chat.ts'

const read = (part: object): unknown =>
  readChat({
    contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
    systemInstruction: { parts: [{ text: 'Be brief.' }, part] },
  })

test.each([
  { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
  { fileData: { fileUri: 'https://a/b.pdf' } },
  {},
])(
  'given the instruction %j, when read for another protocol, then it is refused by name',
  (part) => {
    expect(() => read(part)).toThrow(expect.objectContaining({ param: 'systemInstruction' }))
  },
)

test('given an instruction of texts, when read for another protocol, then all are there', () => {
  expect(read({ text: 'Be kind.' })).toMatchObject({
    system: [{ text: 'Be brief.' }, { text: 'Be kind.' }],
  })
})
