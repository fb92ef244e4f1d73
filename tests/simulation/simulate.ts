import { parseArgs } from 'node:util'
import { run } from './run.ts'

/**
 * `npm run simulate -- --seed 1234 [--trace]` runs one seed; `--seeds N [--from M]` runs many and names those that
 * fail, with `--until-failure` the first of them.
 */
// Thousands of expected failures are made; nobody reads where.
if (!process.argv.includes('--trace')) Error.stackTraceLimit = 0
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
    'until-failure': { type: 'boolean', default: false },
  },
})
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const first = Number(values.seed ?? values.from)
const count = values.seed === undefined ? Number(values.seeds) : 1
const totals: Record<string, number> = {}
const startedAt = performance.now()
let failed = 0
for (let seed = first; seed < first + count; seed++) {
  const { violations, counts } = await run(seed, values.trace ? say : null)
  for (const [name, value] of Object.entries(counts)) totals[name] = (totals[name] ?? 0) + value
  if (violations.length === 0) continue
  failed += 1
  say(`seed ${seed} fails; replay it with: npm run simulate -- --seed ${seed} --trace`)
  for (const { invariant, detail, at } of violations) say(`  ${at} ms ${invariant}: ${detail}`)
  if (values['until-failure']) break
}
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
for (const name of Object.keys(totals).toSorted()) say(`${name.padEnd(24)} ${totals[name]}`)
say(`${count} seeds in ${seconds} s, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
