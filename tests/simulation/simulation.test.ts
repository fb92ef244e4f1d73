import { afterEach, expect, test } from 'vitest'
import { seedSetting, wholeSetting } from '../support/whole-setting.ts'
import { run } from './run.ts'

/**
 * Seeds are taken one after the other from SIMULATION_SEED on (default: by the time of day, in CI from 1) for SIMULATION_SECONDS of
 * processor time, so that a busy machine runs as many: some forty a second. `npm run simulate` takes a number of seeds.
 */
const SECONDS = wholeSetting('SIMULATION_SECONDS', 20)
const FIRST_SEED = seedSetting('SIMULATION_SEED')

test(
  'given faults of every kind, when the real ledger meets them, then every invariant holds',
  { timeout: (60 + SECONDS * 20) * 1_000 },
  async () => {
    // Expected failures are made by the thousand; nobody reads where.
    Error.stackTraceLimit = 0
    const begun = process.threadCpuUsage()
    let seed = FIRST_SEED
    do {
      const { violations } = await run(seed)
      const found = violations.map(
        ({ invariant, detail, at }) => `${at} ms ${invariant}: ${detail}`,
      )
      expect(found, `replay it with: npm run simulate -- --seed ${seed} --trace`).toEqual([])
      seed += 1
    } while (secondsSince(begun) < SECONDS)
    process.stdout.write(`simulation: seeds ${FIRST_SEED} to ${seed - 1} passed\n`)
  },
)

const secondsSince = (begun: NodeJS.CpuUsage): number => {
  const { user, system } = process.threadCpuUsage(begun)
  return (user + system) / 1_000_000
}

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
