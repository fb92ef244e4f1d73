import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { citationsOf, citedPages } from '@tollgate/tests/support/cited-pages.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isObject, type JsonObject } from '../../json.ts'
import type { ChatPart, FinishReason } from '../chat/chat-part.ts'
import { FrameReader } from './read-parts.ts'
import { FrameWriter, writeAnswer } from './write-parts.ts'

/** An answer that is written as frames and read from them again is the same. */
const text = fc.string({ minLength: 1, unit: 'grapheme' })
const blocks = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('text' as const), pieces: fc.array(text, { minLength: 1 }) }),
    fc.record({
      kind: fc.constant('reasoning' as const),
      pieces: fc.array(text, { minLength: 1 }),
      signature: fc.string(),
    }),
    fc.record({
      kind: fc.constant('tool-call' as const),
      id: text,
      name: text,
      input: fc.dictionary(fc.string(), fc.jsonValue()),
      signature: fc.string({ minLength: 1 }),
    }),
    fc.record({ kind: fc.constant('image' as const), base64: fc.base64String() }),
  ),
  { maxLength: 6 },
)
const answers = fc.record({
  blocks,
  /** Cited by the last block, where that is a text: frames tell those of others too late. */
  pages: citedPages,
  reason: fc.constantFrom<FinishReason>('stop', 'length', 'filtered'),
})
type Answer = typeof answers extends fc.Arbitrary<infer Made> ? Made : never

/** Its parts; adjacent blocks of text or of thoughts are one, which frames cannot tell apart. */
function partsOf({ blocks: made, pages, reason }: Answer): readonly ChatPart[] {
  const kept = made.filter(
    ({ kind }, place) => kind === 'tool-call' || kind === 'image' || kind !== made[place - 1]?.kind,
  )
  const parts: ChatPart[] = [{ type: 'begin', id: 'a', model: 'm' }]
  for (const [block, one] of kept.entries()) {
    if (one.kind === 'image') {
      parts.push({ type: 'image', block, mime: 'image/png', base64: one.base64 })
      continue
    }
    if (one.kind === 'tool-call') {
      const { kind, id, name, signature } = one
      parts.push({ type: 'open', block, kind, id, name, signature })
      // As JSON has it: no -0.
      parts.push({
        type: 'delta',
        block,
        text: JSON.stringify(JSON.parse(JSON.stringify(one.input))),
      })
    } else {
      parts.push({ type: 'open', block, kind: one.kind })
      for (const piece of one.pieces) parts.push({ type: 'delta', block, text: piece })
      const isLast = one.kind === 'text' && block === kept.length - 1
      if (isLast) parts.push(...citationsOf(block, one.pieces, pages))
    }
    const signature = one.kind === 'reasoning' ? one.signature : ''
    parts.push({ type: 'close', block, signature })
  }
  const isCalled = kept.some(({ kind }) => kind === 'tool-call') && reason === 'stop'
  return [...parts, { type: 'finish', reason: isCalled ? 'tool-calls' : reason }]
}

const read = (frames: readonly JsonObject[]): readonly ChatPart[] => {
  const reader = new FrameReader(0)
  return frames.flatMap((frame) => reader.of(frame))
}

test('given any answer, when written as events and read again, then it is the same', () => {
  fc.assert(
    fc.property(answers, (answer) => {
      const parts = partsOf(answer)
      const writer = new FrameWriter(false)
      const written = parts.map((part) => writer.part(part)).join('') + writer.closing(NO_USAGE)
      const frames = written
        .split('\n\n')
        .filter((event) => event !== '')
        .map((event): unknown => JSON.parse(event.slice('data: '.length)))
        .filter(isObject)
      expect(read(frames)).toEqual(parts)
    }),
  )
})

test('given any answer, when written as a list and read again, then it is the same', () => {
  fc.assert(
    fc.property(answers, (answer) => {
      const parts = partsOf(answer)
      const writer = new FrameWriter(true)
      const written = parts.map((part) => writer.part(part)).join('') + writer.closing(NO_USAGE)
      const frames: unknown = JSON.parse(written)
      expect(read(Array.isArray(frames) ? frames.filter(isObject) : [])).toEqual(parts)
    }),
  )
})

test('given any answer, when written as a whole and read again, then its texts are the same', () => {
  const textsOf = (parts: readonly ChatPart[]): string =>
    parts.map((part) => (part.type === 'delta' ? part.text : `<${part.type}>`)).join('')
  fc.assert(
    fc.property(answers, (answer) => {
      const parts = partsOf(answer)
      expect(textsOf(read([writeAnswer(parts, null)]))).toBe(textsOf(parts))
    }),
  )
})

test('given calls without ids in answers without names, when read, then no two have one id', () => {
  const parts = [{ functionCall: { name: 'look', args: {} } }]
  const ids = [1, 2].flatMap((answeredAt) =>
    new FrameReader(answeredAt)
      .of({ candidates: [{ content: { parts } }] })
      .flatMap((part) => (part.type === 'open' && part.kind === 'tool-call' ? [part.id] : [])),
  )
  expect(new Set(ids).size).toBe(2)
})
