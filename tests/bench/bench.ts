import { cpus, loadavg } from 'node:os'
import process from 'node:process'
import { fraction, table } from './figures.ts'
import { ledgerFigures } from './ledger.ts'
import { relayFigures } from './relay.ts'

/**
 * `npm run bench`: measures what design section 9 promises, as ratios against the bare engine or a bare pass-through
 * in the same run, and prints one table. Takes about two minutes; not part of the tests.
 */
const SECTIONS = { relay: relayFigures, ledger: ledgerFigures } as const

const say = (line: string): void => void process.stderr.write(`${line}\n`)

const wanted = process.argv.slice(2)
const figures = []
for (const [name, measure] of Object.entries(SECTIONS)) {
  if (wanted.length === 0 || wanted.includes(name)) figures.push(...(await measure(say)))
}
process.stdout.write(
  `\nNode ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, load average ${loadavg().map(fraction).join(' ')}\n\n${table(figures)}\n`,
)
