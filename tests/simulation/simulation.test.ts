import { afterEach, expect, test } from 'vitest'
import { run } from './run.ts'

/** About 40 s on two cores; more with `npm run simulate -- --seeds N`. */
const SEEDS = 2_000

test(
  'given faults of every kind, when the real ledger, hold keepers and projectors run through them, then every invariant holds in every seed',
  { timeout: 600_000 },
  async () => {
    // Expected failures are made by the thousand; nobody reads where.
    Error.stackTraceLimit = 0
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { violations } = await run(seed)
      const found = violations.map(
        ({ invariant, detail, at }) => `${at} ms ${invariant}: ${detail}`,
      )
      expect(found, `replay it with: npm run simulate -- --seed ${seed} --trace`).toEqual([])
    }
  },
)

const { stackTraceLimit } = Error
afterEach(() => {
  Error.stackTraceLimit = stackTraceLimit
})

test('given a seed, when it runs twice, then the very same things happen', async () => {
  const traces = await Promise.all([traceOf(7), traceOf(7)])
  expect(traces[0]).toEqual(traces[1])
  expect(traces[0]?.length).toBeGreaterThan(50)
  expect(await traceOf(8)).not.toEqual(traces[0])
})

async function traceOf(seed: number): Promise<readonly string[]> {
  const lines: string[] = []
  await run(seed, (line) => lines.push(line))
  return lines
}
