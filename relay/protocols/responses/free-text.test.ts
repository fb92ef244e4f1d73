import fc from 'fast-check'
import { expect, test } from 'vitest'
import { freeTextIn, freeTextInput, FreeTextReader } from './free-text.ts'

/** Reads arguments in pieces: the text before they end, and all of it. */
function read(pieces: readonly string[]): { early: readonly string[]; all: string; text: string } {
  const reader = new FreeTextReader()
  const early = pieces.map((piece) => reader.push(piece))
  const { rest, text } = reader.end()
  return { early, all: early.join('') + rest, text }
}

const texts = fc.string({
  unit: fc.oneof(fc.constantFrom('"', '\\', '\n', '🌍', 'é'), fc.string()),
})

test('given any text, when its arguments are cut anywhere, then its pieces are the text', () => {
  fc.assert(
    fc.property(texts, fc.array(fc.nat({ max: 60 })), (text, cuts) => {
      const json = JSON.stringify(freeTextInput(text))
      const places = [
        0,
        ...cuts.filter((at) => at < json.length).sort((a, b) => a - b),
        json.length,
      ]
      const pieces = places.slice(1).map((end, at) => json.slice(places[at], end))
      const { early, all, text: whole } = read(pieces)
      expect([all, whole]).toEqual([text, text])
      // A client may parse each piece by itself.
      if (text.isWellFormed()) expect(early.every((piece) => piece.isWellFormed())).toBe(true)
    }),
  )
})

test('given a character written as two escapes, when cut between them, then it comes whole', () => {
  const { early, text } = read(['{"input": "a\\ud83c', '\\udf0d', '!"}'])
  expect(early).toEqual(['a', '🌍', '!'])
  expect(text).toBe('a🌍!')
})

test.each([
  ['another name', '{"patch":"*** Begin"}', '*** Begin'],
  ['more members', '{"why":"so","input":"*** Begin"}', '*** Begin'],
  ['no object', '"*** Begin"', '*** Begin'],
  ['no JSON', '*** Begin', '*** Begin'],
  ['several other members', '{"a":"x","b":"y"}', '{"a":"x","b":"y"}'],
  ['bare line ends', '{"input":"a\nb"}', '{"input":"a\nb"}'],
])('given arguments with %s, when read, then no text is lost', (_what, json, text) => {
  expect(freeTextIn(json)).toBe(text)
  expect(read([json]).text).toBe(text)
})
