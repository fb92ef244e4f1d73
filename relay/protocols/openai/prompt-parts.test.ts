import { expect, test } from 'vitest'
import { imageTokens, tiledTokens } from '../../metering/image-tokens.ts'
import { promptParts } from './prompt-parts.ts'

/** The head of a PNG of a size: signature, IHDR. */
const png = (width: number, height: number): string => {
  const head = Buffer.alloc(33)
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(head)
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  return `data:image/png;base64,${head.toString('base64')}`
}

/** The head of a JPEG: a thumbnail's segment of 60,000 bytes, then the frame. */
const jpeg = (width: number, height: number): string => {
  const exif = Buffer.alloc(60_004, 1)
  Buffer.from('ffe1ea62', 'hex').copy(exif)
  const frame = Buffer.from('ffc000110800000000030111000211000311000000', 'hex')
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  return `data:image/jpeg;base64,${Buffer.concat([Buffer.from('ffd8', 'hex'), exif, frame]).toString('base64')}`
}

test.each([
  ['gpt-4o', 512, 512, 255],
  ['gpt-4o', 1024, 1024, 765],
  ['gpt-4o', 2048, 4096, 1105],
  ['gpt-4o-mini', 1024, 1024, 25_501],
  ['gpt-4o', 1, 1, 255],
  ['gpt-4o', 513, 512, 425],
])(
  'given %s, when a picture has %i × %i pixels, then it costs %i tokens (vector 27)',
  (model, width, height, tokens) => {
    expect(tiledTokens(model, { width, height })).toBe(tokens)
    expect(imageTokens(model, { url: png(width, height) })).toBe(tokens)
    expect(imageTokens(model, jpeg(width, height))).toBe(tokens)
  },
)

test.each([
  ['low detail', { url: png(4_000, 4_000), detail: 'low' }, 85],
  ['an address', { url: 'https://example.com/picture.png' }, 765],
  ['a size that is not told', { url: 'data:image/png;base64,AAAA' }, 765],
  ['no base64', { url: 'data:image/svg+xml,<svg/>' }, 765],
  ['a picture without pixels', { url: png(0, 5) }, 765],
  ['garbage', 7, 765],
])('given %s, when an image is counted, then %#: it costs what it should', (_, part, tokens) => {
  expect(imageTokens('gpt-4o', part)).toBe(tokens)
})

test('given GLM-4V, when an image is counted, then it costs 1047 whatever its size', () => {
  expect(imageTokens('glm-4v', { url: png(10, 10) })).toBe(1_047)
})

test('given a history with tool calls, when taken apart, then names and arguments count by themselves', () => {
  const body = {
    messages: [
      { role: 'system', content: 'be brief' },
      {
        role: 'user',
        name: 'bob',
        content: [{ type: 'text', text: 'what?' }, { type: 'input_audio' }, { type: 'file' }],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
          { type: 'custom', custom: { name: 'run', input: 'ls' } },
        ],
      },
      { role: 'assistant', function_call: { name: 'old', arguments: '{}' } },
      { role: 'tool', content: 'seen' },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'look', description: 'looks', parameters: { type: 'object' } },
      },
      { type: 'web_search' },
    ],
  }
  const { texts, fixedTokens } = promptParts(body, 'messages', 'gpt-4o')
  expect([...texts].toSorted()).toEqual(
    [
      ['be brief', 'what?', 'seen'],
      ['system', 'user', 'assistant', 'assistant', 'tool', 'bob'],
      ['look', '{"at":1}', 'run', 'ls', 'old', '{}'],
      ['look', 'looks', '{"type":"object"}', '{"type":"web_search"}'],
    ]
      .flat()
      .toSorted(),
  )
  expect(fixedTokens).toBe(3 + 5 * 3 + 1 + 100 + 5_000 + 2 * 8)
})

test('given token ids, when taken apart, then they are counted as they are', () => {
  expect(promptParts({ input: [1, 2, 3] }, 'input', 'm')).toEqual({ texts: [], fixedTokens: 3 })
  expect(promptParts({ prompt: [[1], [2, 3]] }, 'prompt', 'm')).toEqual({
    texts: [],
    fixedTokens: 3,
  })
  expect(promptParts({ input: ['a', 'b'] }, 'input', 'm')).toEqual({
    texts: ['a', 'b'],
    fixedTokens: 0,
  })
})
