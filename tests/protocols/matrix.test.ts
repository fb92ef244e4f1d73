import { readFileSync } from 'node:fs'
import { channelType } from '@tollgate/relay/channel-types.ts'
import { expect, test } from 'vitest'
import { fitOf, protocolPage } from './matrix.ts'

test('given the table of channel types, when written out, then docs/protocols.md is current', () => {
  const page = readFileSync(new URL('../../docs/protocols.md', import.meta.url), 'utf8')
  // Its cells are padded by the formatter.
  const bare = (text: string): string =>
    text.replaceAll(/\| :?-+:? (?=\|)/g, '| --- ').replaceAll(/ +/g, ' ')
  expect(bare(page), 'run `npm run protocols`').toBe(bare(protocolPage()))
})

test.each([
  [1, 'responses', 'responses', 'native'],
  [43, 'responses', 'responses', 'translated'],
  [14, 'messages', 'claude', 'native'],
  [33, 'chat', 'openai', 'translated'],
  [24, 'generate-content', 'gemini', 'native'],
  [38, 'chat', 'openai', ''],
  [15, 'chat', 'openai', ''],
] as const)(
  'given type %i, when asked for %s by %s clients, then it is "%s"',
  (id, operation, asks, fit) => {
    const type = channelType(id)
    expect(type && fitOf(type, operation, asks)).toBe(fit)
  },
)
