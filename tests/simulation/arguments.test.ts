import { expect, test } from 'vitest'
import { type CommandRun, runCommand } from '../support/run-command.ts'

const SIMULATE = 'simulate.ts'
const MUTATIONS = 'mutations/run-mutations.ts'

const run = (script: string, words: readonly string[]): Promise<CommandRun> =>
  runCommand(new URL(script, import.meta.url), words, {})

test.each([
  [SIMULATE, ['--seeds', 'abc'], '--seeds wants a whole number from 1 on, not "abc".'],
  [SIMULATE, ['--seeds', '0'], '--seeds wants a whole number from 1 on, not "0".'],
  [SIMULATE, ['--seed', '1.5'], '--seed wants a whole number from 1 on, not "1.5".'],
  [SIMULATE, ['--from', ''], '--from wants a whole number from 1 on, not "".'],
  [SIMULATE, ['--seeds'], "Option '--seeds <value>' argument missing"],
  [SIMULATE, ['--bogus'], "Unknown option '--bogus'"],
  [MUTATIONS, ['--only', 'nothing'], 'There is no rule "nothing".'],
  [MUTATIONS, ['--seeds', 'abc'], '--seeds wants a whole number from 1 on, not "abc".'],
] as const)(
  'given %s with %j, when it is run, then it runs nothing, says how and is no success',
  async (script, words, problem) => {
    const { code, out, err } = await run(script, words)
    expect(code).toBe(2)
    expect(out).toBe('')
    expect(err.startsWith(problem)).toBe(true)
    expect(err).toContain('Usage:\n  npm run simulate')
    expect(err).not.toMatch(/^ {4}at /m)
  },
)

test('given one seed, when it is run, then it says that it ran', async () => {
  const { code, out } = await run(SIMULATE, ['--seed', '1'])
  expect(code).toBe(0)
  expect(out).toMatch(/\n1 seeds in .* s, 0 failed\n$/)
})
