import { expect, test } from 'vitest'
import { oldWordsIn } from './find-old-words.ts'

const textsIn = (source: string, path = 'relay/holds/keeper.ts'): readonly string[] =>
  oldWordsIn(path, source).map(({ kind, text }) => `${kind} ${text}`)

test.each([
  ['const holdDesk = 1', ['name holdDesk']],
  ['function f({ a: purse = 1, ...letters }, [unfit]) {}', ['name purse', 'name unfit']],
  ['class HeardHolds { #purse = 1 }', ['name HeardHolds', 'name #purse']],
  ['interface A { readonly whyRefused: string; sayIt(): void }', ['name whyRefused', 'name sayIt']],
  ['/** What a hold costs. */\nconst cost = 1', ['opening What a hold costs.']],
  ['/**\n * Whoever asks\n * is told.\n */', ['opening Whoever asks is told.']],
])('given %s, when searched, then its old words are found', (source, texts) => {
  expect(textsIn(source).map((text) => text.replace('#', ''))).toEqual(
    texts.map((text) => text.replace('#', '')),
  )
})

test.each([
  'const why = 1',
  'const background = 1',
  'other.purse = desk(unfit)',
  'const { purse: pool } = other',
  "const text = 'the hold desk'",
  '/** The hold. What it costs. */',
  '/** Whatever */',
])('given %s, when searched, then nothing is found', (source) => {
  expect(textsIn(source)).toEqual([])
})

test('given a path with an old word, when searched, then it is found, in a folder as well', () => {
  expect(textsIn('', 'infra/processes/sides/hold-desk.test.ts')).toEqual([
    'path sides',
    'path hold-desk.test.ts',
  ])
})
