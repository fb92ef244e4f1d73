import { readModels } from '@tollgate/projections/read-models.ts'
import {
  type Checkpoint,
  ensureCheckpointTable,
  readCheckpoints,
} from '@tollgate/projections/runner/checkpoints.ts'
import { footingOf } from '@tollgate/projections/runner/log-mark.ts'
import { type AnyProjector } from '@tollgate/projections/runner/projector.ts'
import { describeComparison } from '@tollgate/projections/runner/copies.ts'
import {
  rebuild,
  RebuildFailed,
  type RebuildOptions,
  type RebuildReport,
  SwapRefused,
  swapRefused,
} from '@tollgate/projections/runner/rebuild.ts'
import { SingleBar } from 'cli-progress'
import type { Engines } from '../engines/engines.ts'
import { openLogger } from '../logger.ts'
import { reasonOf } from '../run-process.ts'
import { withEngines, withPairedEngines } from './with-engines.ts'
import { systemClock } from '../runtime.ts'

/**
 * `npm run projections -- status`, `rebuild <name>` and `swap <name>`: looks at read models, builds them anew from the
 * event log and puts what was built in place, beside a running Tollgate or without one.
 */

const NAMES = readModels.map(({ name }) => name)
const USAGE = `Usage:
  npm run projections -- status           how far each read model is
  npm run projections -- rebuild <name>   build one anew from the event log ("all" for every one) and compare it
                                          with the present one; differences are listed and mended
      --strict                            keep the present one when the new one differs
      --accept                            put it in place although a new version has other figures
  npm run projections -- swap <name> --accept
                                          put a new copy in place that was built and differed

Read models: ${NAMES.join(', ')}
`

/** The typed command cannot be done; the message says what can. */
class WrongUsage extends Error {
  readonly code = 'WRONG_USAGE'
  readonly retryable = false
  constructor(problem: string) {
    super(`${problem}\n\n${USAGE}`)
    this.name = 'WrongUsage'
  }
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`)
  process.exitCode = 1
}

async function run([command, ...names]: readonly string[]): Promise<void> {
  if (command === undefined || command === 'help' || command === '--help') {
    process.stdout.write(USAGE)
  } else if (command === 'status') {
    if (names.length > 0)
      throw new WrongUsage(`status is of all: "${names.join(' ')}" is too much.`)
    await withEngines(printStatus)
  } else if (command === 'rebuild') {
    const projectors = projectorsNamed(
      command,
      names.filter((word) => !word.startsWith('--')),
    )
    const onDifference = decisionOf(names.filter((word) => word.startsWith('--')))
    await withPairedEngines((engines) => rebuildAll(engines, projectors, onDifference))
  } else if (command === 'swap') {
    const [projector, ...others] = projectorsNamed(
      command,
      names.filter((word) => word !== '--accept'),
    )
    if (projector === undefined || others.length > 0) throw new WrongUsage('Swap one read model.')
    if (!names.includes('--accept')) {
      throw new WrongUsage('Its figures differ: say --accept if they shall replace the present.')
    }
    await withPairedEngines((engines) =>
      withBar(engines, projector, (options) => swapRefused({ ...options, onDifference: 'swap' })),
    )
  } else {
    throw new WrongUsage(`There is no command "${command}".`)
  }
}

/** One after the other; what became of one is no reason to leave out the next. */
async function rebuildAll(
  engines: Engines,
  projectors: readonly AnyProjector[],
  onDifference: Pick<RebuildOptions, 'onDifference'>,
): Promise<void> {
  for (const projector of projectors) {
    try {
      await withBar(engines, projector, (options) => rebuild({ ...options, ...onDifference }))
    } catch (error) {
      if (!(error instanceof SwapRefused || error instanceof RebuildFailed)) throw error
      const advice = error instanceof SwapRefused ? `\n${howToAccept(projector.name)}` : ''
      process.stderr.write(`${error.message}${advice}\n`)
      process.exitCode = 1
    }
  }
}

function howToAccept(name: string): string {
  return `To accept: npm run projections -- swap ${name} --accept`
}

function projectorsNamed(command: string, names: readonly string[]): readonly AnyProjector[] {
  if (names.length === 0) throw new WrongUsage(`Say which read model to ${command}.`)
  if (names.includes('all')) return readModels
  const unknown = names.find((name) => !NAMES.includes(name))
  if (unknown !== undefined) throw new WrongUsage(`There is no read model "${unknown}".`)
  return readModels.filter(({ name }) => names.includes(name))
}

function decisionOf(flags: readonly string[]): Pick<RebuildOptions, 'onDifference'> {
  const [flag, ...others] = flags
  if (flag === undefined) return {}
  if (others.length === 0 && flag === '--strict') return { onDifference: 'refuse' }
  if (others.length === 0 && flag === '--accept') return { onDifference: 'swap' }
  throw new WrongUsage(
    `"${flags.join(' ')}" is no way to rebuild: say --strict, --accept or neither.`,
  )
}

async function printStatus({ pool, store }: Engines): Promise<void> {
  await ensureCheckpointTable(pool)
  const head = await store.headPosition()
  const stored = await readCheckpoints(pool)
  const line = (cells: readonly [string, string, string, string]): string =>
    [cells[0].padEnd(18), cells[1].padStart(14), cells[2].padStart(14), `  ${cells[3]}`].join('')
  const lines: string[] = []
  for (const row of stored) {
    const behind = Math.max(0, head - row.position)
    const footing = await footingOf(store, row)
    const state = footing.isFirm ? stateOf(row) : footing.problem
    if (!footing.isFirm) process.exitCode = 1
    lines.push(line([row.name, String(row.position), String(behind), state]))
  }
  const missing = NAMES.filter((name) => !stored.some((row) => row.name === name)).map((name) =>
    line([name, '-', '-', 'not built yet: start Tollgate or rebuild it']),
  )
  const header = line(['read model', 'position', 'behind', 'state'])
  process.stdout.write(`${[header, ...lines, ...missing].join('\n')}\nlog head: ${head}\n`)
}

function stateOf({ name, version, failure }: Checkpoint): string {
  if (failure?.startsWith('waits: ') === true)
    return `${failure}. ${howToAccept(name.split('/')[0] ?? '')}`
  if (failure !== null) return failure
  if (name.endsWith('/next')) return 'being built'
  const own = readModels.find((projector) => projector.name === name)
  if (own === undefined || own.version === version) return 'ok'
  return `outdated: of version ${version}, this Tollgate builds version ${own.version}`
}

async function withBar(
  { batchPool: pool, store }: Engines,
  projector: AnyProjector,
  build: (options: RebuildOptions) => Promise<RebuildReport>,
): Promise<void> {
  const bar = new SingleBar({
    format: `${projector.name.padEnd(12)} {bar} {percentage}% | {events} events | {rate}/s`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    stream: process.stdout,
    noTTYOutput: true,
    notTTYSchedule: 5_000,
  })
  const startedMs = systemClock.monotonicMs()
  const rateOf = (events: number): number =>
    Math.round((events * 1000) / Math.max(1, systemClock.monotonicMs() - startedMs))
  bar.start(1, 0, { events: 0, rate: 0 })
  let comparison: RebuildReport['comparison'] = null
  try {
    const report = await build({
      store,
      pool,
      projector,
      clock: systemClock,
      logger: openLogger('silent'),
      onProgress: ({ events, position, head }) => {
        bar.setTotal(Math.max(1, head))
        bar.update(Math.min(position, head), { events, rate: rateOf(events) })
      },
    })
    bar.update(bar.getTotal(), { events: report.events, rate: rateOf(report.events) })
    comparison = report.comparison
  } finally {
    bar.stop()
  }
  if (comparison !== null && comparison.differing > 0) {
    process.stdout.write(`${projector.name}: ${describeComparison(comparison)}\n`)
  }
}
