import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { mutated } from './mutation.ts'
import { mutations } from './mutations.ts'

const REPOSITORY = new URL('../../..', import.meta.url)

test('given the code as it is, when a rule is to be broken, then the place to break it is still there', async () => {
  for (const { edits } of mutations) {
    for (const [file, own] of Map.groupBy(edits, (edit) => edit.file)) {
      const text = await readFile(new URL(file, REPOSITORY), 'utf8')
      expect(mutated(text, own)).not.toBe(text)
    }
  }
  expect(new Set(mutations.map(({ id }) => id)).size).toBe(mutations.length)
})
