import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { isPricingOption, ruleOf } from '@tollgate/domain/settings/catalogue.ts'
import { isZone } from '@tollgate/projections/zones/zone-days.ts'
import {
  BUCKETS,
  type Bucket,
  type ReplayDefinition,
  type ReplayPrices,
  type ReplayTable,
  replayTableOf,
} from '@tollgate/projections/replays/definition.ts'

/** The replay that was asked for on the command line. */
export interface ReplayCommand {
  readonly definition: ReplayDefinition
  /** Folder of the backup whose log is replayed; null = this Tollgate's. */
  readonly backup: string | null
  /** The file to write; null = standard output. */
  readonly out: string | null
  readonly format: 'csv' | 'jsonl'
  /** Keeps the replay in the console's list under this name; null = it goes when it is written. */
  readonly name: string | null
}

export const USAGE = `Usage:
  npm run replay -- --from TIME --to TIME [--prices WHICH] [--by WHAT] [--zone ZONE] [--out FILE] [filters]
  npm run replay -- --positions FIRST..LAST …

  --from, --to    charges dated from the one (inclusive) to the other (exclusive): 2026-02-03T12:00:00Z, or a date
                  (its beginning in UTC)
  --positions     events from the first to the last of these positions of the log, both included; FIRST.. is to its
                  end, ..LAST from its beginning. With it, --from and --to may be left out
  --backup        the folder of a backup, whose log is replayed in place of this Tollgate's, on a PostgreSQL of its own
                  that is removed afterwards
  --prices        as-charged (default), today, a position of the log (the prices in force there), or a file.json with
                  pricing options that replace today's: {"ModelRatio": {"gpt-4o": 1.25}}
  --by            hour, day, week or month (default day), and user, group, token, model or channel, or two of these:
                  --by day,model
  --zone          whose days they are, such as Asia/Shanghai (default UTC)
  --out           a .csv or .jsonl file (default: CSV on standard output)
  --name          keeps the replay in the console's list under this name
  --user, --group, --token, --model, --channel, --endpoint
                  only these, with commas between
  --stream, --estimated, --cancelled, --late
                  only charges that are (--stream) or are not (--stream=no)

Exit code: 0 the file is written, 1 the replay was refused or stopped.
`

/** The typed command cannot be done; the message says what can. */
export class WrongReplay extends Error {
  readonly code = 'WRONG_USAGE'
  readonly retryable = false
  constructor(problem: string) {
    super(`${problem}\n\n${USAGE}`)
    this.name = 'WrongReplay'
  }
}

const FLAGS = ['stream', 'estimated', 'cancelled', 'late'] as const

/** Reads the words after `npm run replay --`; null = help was asked for. Fails with WrongReplay. */
export function parseReplayCommand(words: readonly string[]): ReplayCommand | null {
  if (words.length === 0 || words.includes('--help') || words.includes('help')) return null
  const values = valuesOf(words)
  const positions = positionsOf(values.positions)
  const from = rangeEnd('from', values.from, positions, 0)
  const to = rangeEnd('to', values.to, positions, LATEST)
  if (to <= from) throw new WrongReplay('--to must be after --from.')
  const zone = values.zone ?? 'UTC'
  if (!isZone(zone)) throw new WrongReplay(`"${zone}" is no time zone, such as Europe/Berlin.`)
  const { bucket, by } = byOf(values.by ?? 'day')
  const out = values.out ?? null
  if (out !== null && !/\.(csv|jsonl)$/.test(out)) {
    throw new WrongReplay('--out is a file that ends in .csv or .jsonl.')
  }
  const filters = {
    users: numbersOf('user', values.user),
    groups: listOf(values.group),
    tokens: numbersOf('token', values.token),
    models: listOf(values.model),
    channels: numbersOf('channel', values.channel),
    endpoints: listOf(values.endpoint),
    stream: flagOf('stream', values.stream),
    estimated: flagOf('estimated', values.estimated),
    cancelled: flagOf('cancelled', values.cancelled),
    late: flagOf('late', values.late),
  }
  const prices = pricesOf(values.prices ?? 'as-charged')
  const { backup = null, name = null } = values
  if (backup !== null && name !== null) {
    throw new WrongReplay(
      '--name keeps a replay of this Tollgate’s log; with --backup, write a file by --out.',
    )
  }
  return {
    definition: { from, to, ...positions, filters, prices, bucket, zone, by },
    backup,
    out,
    format: out?.endsWith('.jsonl') === true ? 'jsonl' : 'csv',
    name,
  }
}

function valuesOf(words: readonly string[]) {
  const text = { type: 'string' } as const
  const options = {
    from: text,
    to: text,
    prices: text,
    by: text,
    zone: text,
    out: text,
    name: text,
    user: text,
    group: text,
    token: text,
    model: text,
    channel: text,
    endpoint: text,
    positions: text,
    backup: text,
    stream: text,
    estimated: text,
    cancelled: text,
    late: text,
  }
  // A flag without a value means that charges are so.
  const args = words.map((word) =>
    FLAGS.some((flag) => word === `--${flag}`) ? `${word}=yes` : word,
  )
  try {
    return parseArgs({ args, options, strict: true }).values
  } catch (error) {
    throw new WrongReplay(error instanceof Error ? error.message : String(error))
  }
}

const WRITTEN = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/i

function timeOf(name: string, written: string | undefined): number {
  const at = written !== undefined && WRITTEN.test(written) ? Date.parse(written) : Number.NaN
  if (!Number.isNaN(at)) return at
  throw new WrongReplay(
    written === undefined
      ? `--${name} is missing.`
      : `--${name}: "${written}" is no date, and no time with its zone.`,
  )
}

/** After every date that an event may have. */
const LATEST = Date.UTC(9999, 0)

/** One end of the time; a range of positions needs none. */
const rangeEnd = (
  name: string,
  written: string | undefined,
  positions: object,
  otherwise: number,
): number => (written === undefined && 'positions' in positions ? otherwise : timeOf(name, written))

function positionsOf(written: string | undefined): Pick<ReplayDefinition, 'positions'> {
  if (written === undefined) return {}
  const [, first = '', last = ''] = /^(\d{0,15})\.\.(\d{0,15})$/.exec(written) ?? []
  if (first === '' && last === '') {
    throw new WrongReplay(`--positions: "${written}" is no range of positions, such as 1200..5400.`)
  }
  if (first !== '' && last !== '' && Number(last) < Number(first)) {
    throw new WrongReplay('--positions: the last must not be below the first.')
  }
  return {
    positions: {
      ...(first !== '' && { first: Number(first) }),
      ...(last !== '' && { last: Number(last) }),
    },
  }
}

function byOf(written: string): {
  readonly bucket: Bucket
  readonly by: readonly ReplayTable[]
} {
  const words = written.split(',').map((word) => word.trim())
  const isBucket = (word: string): word is Bucket => (BUCKETS as readonly string[]).includes(word)
  const buckets = words.filter(isBucket)
  if (buckets.length > 1) throw new WrongReplay('--by takes one of hour, day, week and month.')
  const dimensions = words.filter((word) => !isBucket(word))
  if (dimensions.length === 0) return { bucket: buckets[0] ?? 'day', by: [] }
  const table = replayTableOf(dimensions.join('+'))
  if (table === null) {
    throw new WrongReplay(
      `--by ${written}: take up to two of user, group, token, model and channel.`,
    )
  }
  return { bucket: buckets[0] ?? 'day', by: [table] }
}

const listOf = (written: string | undefined): readonly string[] | undefined =>
  written?.split(',').map((one) => one.trim())

const numbersOf = (name: string, written: string | undefined): readonly number[] | undefined =>
  listOf(written)?.map((one) => {
    if (/^\d{1,15}$/.test(one)) return Number(one)
    throw new WrongReplay(`--${name}: "${one}" is no number.`)
  })

function flagOf(name: string, written: string | undefined): boolean | undefined {
  if (written === undefined) return undefined
  if (written === 'yes' || written === 'no') return written === 'yes'
  throw new WrongReplay(`--${name} is yes or no, not "${written}".`)
}

function pricesOf(written: string): ReplayPrices {
  if (written === 'as-charged' || written === 'today') return written
  if (/^\d{1,15}$/.test(written)) return Number(written)
  if (!written.endsWith('.json')) {
    throw new WrongReplay(
      `--prices ${written}: say as-charged, today, a position of the log, or a file.json.`,
    )
  }
  return { options: draftOf(written) }
}

function draftOf(file: string): Readonly<Record<string, string>> {
  let read: unknown
  try {
    read = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new WrongReplay(
      `${file} cannot be read as JSON: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) {
    throw new WrongReplay(`${file} is no JSON object of pricing options.`)
  }
  return Object.fromEntries(
    Object.entries(read).map(([key, value]: [string, unknown]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      if (!isPricingOption(key)) throw new WrongReplay(`${file}: ${key} is no pricing option.`)
      const problem = ruleOf(key).check(ruleOf(key).normalise(text), key)
      if (problem !== null) throw new WrongReplay(`${file}: ${key}: ${problem}`)
      return [key, ruleOf(key).normalise(text)]
    }),
  )
}
