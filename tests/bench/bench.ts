import { cpus, loadavg } from 'node:os'
import process from 'node:process'
import { inspect } from 'node:util'
import { bodiesFigures } from './bodies.ts'
import { booksFigures } from './books.ts'
import { coldLoadFigures } from './cold-load.ts'
import { consoleFigures } from './console.ts'
import { costFigures } from './cost.ts'
import { type Figure, fraction, table } from './figures.ts'
import { ledgerFigures } from './ledger.ts'
import { logEngineFigures } from './log-engines.ts'
import { logReadFigures } from './log-reads.ts'
import { natsFigures } from './nats.ts'
import { pairFigures } from './pairs.ts'
import { recoveryFigures } from './recovery.ts'
import { relayFigures } from './relay.ts'
import { rowsFigures } from './rows.ts'
import { visibilityFigures } from './visibility.ts'

/**
 * `npm run bench`: measures what design section 9 promises, as ratios against the bare engine or a bare pass-through
 * in the same run, and prints one table. Takes about twelve minutes; not part of the tests. `npm run bench -- nats` runs one
 * section; BENCH_SCALE=0.1 tries it out with a tenth of everything.
 */
const SECTIONS: Readonly<Record<string, (say: (line: string) => void) => Promise<Figure[]>>> = {
  relay: relayFigures,
  cost: costFigures,
  pairs: pairFigures,
  ledger: ledgerFigures,
  'log-engines': logEngineFigures,
  'log-reads': logReadFigures,
  nats: natsFigures,
  visibility: visibilityFigures,
  'cold-load': coldLoadFigures,
  recovery: recoveryFigures,
  bodies: bodiesFigures,
  console: consoleFigures,
  books: booksFigures,
  rows: rowsFigures,
}

const say = (line: string): void => void process.stderr.write(`${line}\n`)

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in SECTIONS))
if (unknown.length > 0) {
  say(`no section ${unknown.join(', ')}: there are ${Object.keys(SECTIONS).join(', ')}`)
  process.exit(1)
}
const figures: Figure[] = []
for (const [name, measure] of Object.entries(SECTIONS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  try {
    figures.push(...(await measure(say)))
  } catch (error) {
    // The figures of the other sections are worth seeing.
    say(`${name} failed: ${inspect(error)}`)
    process.exitCode = 1
  }
}
process.stdout.write(
  `\nNode ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, load average ${loadavg().map(fraction).join(' ')}\n\n${table(figures)}\n`,
)
