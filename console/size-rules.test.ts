import { expect, test } from 'vitest'
import { filesOf } from './size-rules.ts'

const manifest = {
  'index.html': { file: 'index.js', imports: ['_base'] },
  _base: { file: 'base.js' },
  'src/routes/login.tsx?split': { file: 'login.js', imports: ['_base', 'index.html'] },
}

test('given entries that share files, when counted, then each file counts once', () => {
  expect([...filesOf(manifest, ['index.html', 'routes/login.tsx'])]).toEqual([
    'index.js',
    'base.js',
    'login.js',
  ])
})

test('given an entry that was not built, when counted, then the check says so', () => {
  expect(() => filesOf(manifest, ['routes/gone.tsx'])).toThrow('routes/gone.tsx')
})
