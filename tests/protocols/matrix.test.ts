import { readFileSync } from 'node:fs'
import { fitOf } from '@tollgate/relay/channel-fit.ts'
import { channelType } from '@tollgate/relay/channel-types.ts'
import { expect, test } from 'vitest'
import { protocolPage } from './matrix.ts'

test('given the table of channel types, when written out, then docs/protocols.md is current', () => {
  const page = readFileSync(new URL('../../docs/protocols.md', import.meta.url), 'utf8')
  // Its cells are padded by the formatter.
  const bare = (text: string): string =>
    text.replaceAll(/\| :?-+:? (?=\|)/g, '| --- ').replaceAll(/ +/g, ' ')
  expect(bare(page), 'run `npm run protocols`').toBe(bare(protocolPage()))
})

test.each([
  [1, 'responses', 'native'],
  [43, 'responses', 'translated'],
  [14, 'messages', 'native'],
  [33, 'chat', 'translated'],
  [24, 'generate-content', 'native'],
  [38, 'chat', ''],
  [15, 'chat', ''],
  [41, 'messages', 'by model'],
  [41, 'responses', 'translated'],
  [41, 'embeddings', 'by model'],
  [14, 'embeddings', ''],
] as const)('given type %i, when its clients ask for %s, then it is "%s"', (id, operation, fit) => {
  const type = channelType(id)
  expect(type && fitOf(type, operation)).toBe(fit)
})
