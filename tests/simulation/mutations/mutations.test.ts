import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Edit, mutated } from './mutation.ts'
import { mutations } from './mutations.ts'

const REPOSITORY = new URL('../../..', import.meta.url)
const OXLINT = join(
  dirname(createRequire(import.meta.url).resolve('oxlint/package.json')),
  'bin/oxlint',
)
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-mutations-'))
})
afterAll(() => rm(folder, { recursive: true }))

test('given the code as it is, when a rule is to be broken, then the place to break it is still there', async () => {
  for (const { edits } of mutations)
    for (const { before, after } of await changedFiles(edits)) expect(after).not.toBe(before)
  expect(new Set(mutations.map(({ id }) => id)).size).toBe(mutations.length)
})

test('given the code with a rule broken, when linted, then it names nothing that is not there', async () => {
  for (const { id, edits } of mutations)
    for (const { file, after } of await changedFiles(edits))
      await writeFile(join(folder, `${id}--${file.replaceAll('/', '__')}`), after)
  const config = join(folder, 'names.json')
  await writeFile(config, JSON.stringify(NAMES))
  const linted = promisify(execFile)(process.execPath, [OXLINT, '--config', config, folder])
  // A name that is not there throws, which fails a run for another reason than the broken rule, or is caught as a failure.
  expect(
    await linted.then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    ),
  ).toBe('')
})

const NAMES = {
  env: { builtin: true, node: true, es2024: true },
  categories: { correctness: 'off' },
  rules: { 'no-undef': 'error' },
}

/** The files of a mutation, as they are and as it makes them. */
const changedFiles = (edits: readonly Edit[]) =>
  Promise.all(
    [...Map.groupBy(edits, (edit) => edit.file)].map(async ([file, own]) => {
      const before = await readFile(new URL(file, REPOSITORY), 'utf8')
      return { file, before, after: mutated(before, own) }
    }),
  )
