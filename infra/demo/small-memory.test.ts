import { expect, test } from 'vitest'
import { smallMemory } from './small-memory.ts'

const STARTED = {
  execPath: '/bin/node',
  execArgv: ['--no-warnings'],
  argv: ['/bin/node', '/demo.ts', '--requests', '50'],
  env: { HOME: '/home/ann' },
}

test('given a plain start, when asked, then options for less memory precede the script', () => {
  const small = smallMemory(STARTED)
  expect(small?.args).toEqual([
    '/bin/node',
    '--no-warnings',
    '--max-semi-space-size=4',
    '/demo.ts',
    '--requests',
    '50',
  ])
  expect(small?.env).toEqual({ HOME: '/home/ann', MALLOC_ARENA_MAX: '2' })
})

test('given a start with these options, when asked, then there is nothing to replace', () => {
  const options = smallMemory(STARTED)?.args.slice(1, 3) ?? []
  expect(smallMemory({ ...STARTED, execArgv: options })).toBeNull()
})

test('given an operator with a limit of their own, when asked, then theirs stays', () => {
  const env = { MALLOC_ARENA_MAX: '8' }
  expect(smallMemory({ ...STARTED, env })?.env).toEqual(env)
})
