import { readArguments, wholeNumber } from './arguments.ts'
import { run } from './run.ts'

const USAGE = `Usage:
  npm run simulate -- --seed N [--trace]                       run one seed, with everything that happens in it
  npm run simulate -- [--seeds N] [--from M] [--until-failure]
                                                               run N seeds (1000), from seed M (1) on, and name those
                                                               that fail, or stop at the first
Exit code: 0 none failed, 1 some did, 2 nothing was run.
`

// Thousands of expected failures are made; nobody reads where.
if (!process.argv.includes('--trace')) Error.stackTraceLimit = 0
const values = readArguments(
  {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
    'until-failure': { type: 'boolean', default: false },
  },
  USAGE,
)
const seeds = wholeNumber('seeds', values.seeds, USAGE)
const from = wholeNumber('from', values.from, USAGE)
const one = values.seed === undefined ? null : wholeNumber('seed', values.seed, USAGE)
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const first = one ?? from
const count = one === null ? seeds : 1
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
