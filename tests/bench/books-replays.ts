import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as after } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { EmbeddedLog } from './embedded-log.ts'
import { type Figure, whole } from './figures.ts'

/** As the command line has them. */
const REPLAYS = [
  ['as charged', [], 150_000],
  ['at today’s prices', ['--prices', 'today'], 100_000],
] as const
const MEMORY_MIB = 300

/** Replays of a year's charges by the command that operators use. */
export async function replayFigures(
  { url, pool }: Pick<EmbeddedLog, 'url' | 'pool'>,
  say: (line: string) => void,
): Promise<Figure[]> {
  const figures: Figure[] = []
  const { rows } = await pool.query<{ charges: number }>(
    `select count(*) as charges from ledger.events where type = 'UsageCharged'`,
  )
  const charges = rows[0]?.charges ?? 0
  for (const [what, flags, limit] of REPLAYS) {
    say(`books: replay ${what}`)
    const { elapsedMs, peakMiB } = await replay(url, flags)
    const perSecond = (charges * 1_000) / elapsedMs
    figures.push({
      what: `replay of ${whole(charges)} charges ${what}, by month and model`,
      measured: `${whole(perSecond)} charges/s, ${(elapsedMs / 1_000).toFixed(1)} s with its start, ${whole(peakMiB)} MiB at most`,
      target: `≥ ${whole(limit)} charges/s, < ${MEMORY_MIB} MiB`,
      isReached: perSecond >= limit && peakMiB < MEMORY_MIB,
    })
  }
  return figures
}

interface ReplayCommand {
  /** Flags for Node, then the file. */
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** The command line of `npm run replay`. */
function replayCommand(): ReplayCommand {
  const root = new URL('../../', import.meta.url)
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
    readonly scripts: { readonly replay: string }
  }
  const [cache = '', , , ...words] = scripts.replay.split(' ')
  const [name = '', folder = ''] = cache.split('=')
  const pathOf = (path: string): string => fileURLToPath(new URL(path, root))
  return {
    words: words.map((word) => (word.startsWith('-') ? word : pathOf(word))),
    env: { [name]: pathOf(folder) },
  }
}

/** Runs `npm run replay` on the log; its time and the most memory that it had (Linux). */
async function replay(
  databaseUrl: string,
  flags: readonly string[],
): Promise<{ readonly elapsedMs: number; readonly peakMiB: number }> {
  const period = ['--from', '2025-01-01', '--to', '2026-01-01', '--by', 'month,model']
  const startedAt = performance.now()
  const { words: command, env } = replayCommand()
  const child = spawn(process.execPath, [...command, ...period, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env, DATABASE_URL: databaseUrl },
  })
  let words = ''
  child.stderr.on('data', (text: Buffer) => (words = (words + text.toString()).slice(-2_000)))
  const ended = once(child, 'exit')
  let peakMiB = 0
  const isOver = ended.then(() => true as const)
  while ((await Promise.race([isOver, after(SAMPLE_EVERY_MS)])) !== true) {
    peakMiB = Math.max(peakMiB, residentMiB(child.pid ?? 0))
  }
  if (child.exitCode !== 0) throw new Error(`the replay failed: ${words}`)
  return { elapsedMs: performance.now() - startedAt, peakMiB }
}

const SAMPLE_EVERY_MS = 100

/** The most that a process ever had, as the kernel noted it; 0 when it is gone. */
function residentMiB(pid: number): number {
  try {
    const [, kib = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kib) / 1_024
  } catch {
    return 0
  }
}
