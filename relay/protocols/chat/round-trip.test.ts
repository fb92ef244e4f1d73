import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { citationsOf, citedPages } from '@tollgate/tests/support/cited-pages.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isObject, type JsonObject } from '../../json.ts'
import { PartReader } from '../claude/read-parts.ts'
import { EventWriter } from '../claude/write-parts.ts'
import { ChunkReader } from '../openai/read-parts.ts'
import { ChunkWriter } from '../openai/write-parts.ts'
import type { ChatPart, Citation, FinishReason } from './chat-part.ts'

/** An answer that is written in a protocol and read from it again is the same. */
const text = fc.string({ minLength: 1, unit: 'grapheme' })
const spoken = fc.record({
  kind: fc.constantFrom('text' as const, 'reasoning' as const),
  pieces: fc.array(text, { minLength: 1, maxLength: 4 }),
  pages: citedPages,
})
const drawn = fc.record({ kind: fc.constant('image' as const), base64: fc.base64String() })
const call = fc.record({
  kind: fc.constant('tool-call' as const),
  id: fc.string({ minLength: 1 }),
  name: fc.string({ minLength: 1 }),
  pieces: fc.array(text, { minLength: 1, maxLength: 4 }),
})
const answers = fc.record({
  spoken: fc.array(fc.oneof(spoken, drawn), { maxLength: 5 }),
  calls: fc.array(call, { maxLength: 3 }),
  reason: fc.constantFrom<FinishReason>('stop', 'length', 'tool-calls', 'filtered'),
})
type Answer = typeof answers extends fc.Arbitrary<infer Made> ? Made : never

/** Its parts; adjacent blocks of one kind are one, which chunks cannot tell apart, but for pictures. */
function partsOf({ spoken: said, calls, reason }: Answer): readonly ChatPart[] {
  const blocks = said.filter(
    ({ kind }, index) => kind === 'image' || kind !== said[index - 1]?.kind,
  )
  const parts: ChatPart[] = [{ type: 'begin', id: 'a', model: 'm' }]
  for (const [block, one] of blocks.entries()) {
    if (one.kind === 'image') {
      parts.push({ type: 'image', block, mime: 'image/png', base64: one.base64 })
      continue
    }
    const { kind, pieces, pages } = one
    parts.push({ type: 'open', block, kind })
    for (const piece of pieces) parts.push({ type: 'delta', block, text: piece })
    if (kind === 'text') parts.push(...citationsOf(block, pieces, pages))
    parts.push({ type: 'close', block, signature: '' })
  }
  const closes: ChatPart[] = []
  for (const [place, { kind, id, name, pieces }] of calls.entries()) {
    const block = blocks.length + place
    parts.push({ type: 'open', block, kind, id, name })
    for (const piece of pieces) parts.push({ type: 'delta', block, text: piece })
    closes.push({ type: 'close', block, signature: '' })
  }
  const isCalled = calls.length > 0 && reason === 'stop'
  return [...parts, ...closes, { type: 'finish', reason: isCalled ? 'tool-calls' : reason }]
}

const pageOf = ({ block, url, title }: Citation): Pick<Citation, 'block' | 'url' | 'title'> => ({
  block,
  url,
  title,
})

const eventsIn = (written: string): readonly JsonObject[] =>
  written
    .split('\n\n')
    .flatMap((event) => event.split('\n'))
    .filter((line) => line.startsWith('data: {'))
    .map((line): unknown => JSON.parse(line.slice('data: '.length)))
    .filter(isObject)

test('given any answer, when written as chunks and read again, then it is the same', () => {
  fc.assert(
    fc.property(answers, (answer) => {
      const parts = partsOf(answer)
      const writer = new ChunkWriter(1, false)
      const reader = new ChunkReader(0)
      const written = parts.map((part) => writer.part(part)).join('')
      const read = eventsIn(written).flatMap((chunk) => reader.of(chunk))
      expect([...read, ...reader.end()]).toEqual(parts)
    }),
  )
})

/** All that events can say of an end. */
const ends = fc.oneof(
  fc.record({
    type: fc.constant('finish' as const),
    reason: fc.constant('stop' as const),
    stopSequence: text,
  }),
  fc.record({
    type: fc.constant('finish' as const),
    reason: fc.constantFrom<FinishReason>(
      'stop',
      'length',
      'tool-calls',
      'refusal',
      'pause',
      'context-exceeded',
    ),
  }),
)

/** Anthropic's models draw nothing. */
const withoutPictures = (answer: Answer): Answer => ({
  ...answer,
  spoken: answer.spoken.filter(({ kind }) => kind !== 'image'),
})

test('given any answer, when written as events and read again, then it is the same', () => {
  fc.assert(
    fc.property(answers, ends, (answer, end) => {
      const parts = [...partsOf(withoutPictures(answer)).slice(0, -1), end]
      const writer = new EventWriter(1)
      const reader = new PartReader()
      const written = parts.map((part) => writer.part(part)).join('')
      const events = eventsIn(written + writer.closing(NO_USAGE))
      const kept = parts.flatMap((part) => (part.type === 'citation' ? [] : [part]))
      const read = events.flatMap((event) => reader.of(event))
      const cited = read.flatMap((part) => (part.type === 'citation' ? [part] : []))
      expect(read.filter(({ type }) => type !== 'citation')).toEqual(kept)
      // Anthropic cites a block as a whole.
      const pages = parts.flatMap((part) => (part.type === 'citation' ? [pageOf(part)] : []))
      expect(cited.map(pageOf)).toEqual(pages)
    }),
  )
})
