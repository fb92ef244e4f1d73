import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { IN_CHINESE, IN_ENGLISH } from '../../console/src/core/server-messages.ts'

const ROOT = join(import.meta.dirname, '../..')

test('given the messages that the console puts into its language, when the servers are read, then each is still said word by word', () => {
  const paths = globSync('{command-api,domain,relay,infra}/**/*.ts', {
    cwd: ROOT,
    exclude: (path) => path.includes('node_modules') || path.endsWith('.test.ts'),
  })
  const said = paths.map((path) => readFileSync(join(ROOT, path), 'utf8')).join('\n')
  const messages = [...Object.keys(IN_ENGLISH), ...Object.keys(IN_CHINESE)]
  // In double quotes where the message has an apostrophe.
  const isSaid = (message: string) => said.includes(`'${message}'`) || said.includes(`"${message}"`)
  expect(messages.filter((message) => !isSaid(message))).toEqual([])
})
