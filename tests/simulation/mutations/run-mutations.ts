import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { readArguments, refuse, wholeNumber } from '../arguments.ts'
import type { Mutation } from './mutation.ts'
import { mutations } from './mutations.ts'

const USAGE = `Usage:
  npm run simulate:mutations -- [--seeds N] [--only ID]…
                                run the simulation with one rule broken at a time, at most N seeds (10000) each, and
                                print which seed finds it; --only those rules

Rules: ${mutations.map(({ id }) => id).join(', ')}

Exit code: 0 each was found, 1 one was not, 2 nothing was run.
`
const values = readArguments(
  {
    seeds: { type: 'string', default: '10000' },
    only: { type: 'string', multiple: true, default: [] },
  },
  USAGE,
)
wholeNumber('seeds', values.seeds, USAGE)
const unknown = values.only.find((id) => mutations.every((mutation) => mutation.id !== id))
if (unknown !== undefined) refuse(`There is no rule "${unknown}".`, USAGE)
const SIMULATE = fileURLToPath(new URL('../simulate.ts', import.meta.url))
const PRELOAD = fileURLToPath(new URL('preload.ts', import.meta.url))
const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** The first seed that fails with a rule broken, and the invariant that says so; null when none does. */
async function firstFailure({ id }: Mutation): Promise<string | null> {
  const args = ['--import', PRELOAD, SIMULATE, '--seeds', values.seeds, '--until-failure']
  const child = spawn(process.execPath, args, {
    env: { ...process.env, SIMULATION_MUTATION: id },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  const [printed, complained] = await Promise.all([text(child.stdout), text(child.stderr)])
  await exited
  const seed = /^seed (\d+) fails/mu.exec(printed)?.[1]
  const invariant = /^ {2}\d+ ms ([\w-]+):/mu.exec(printed)?.[1]
  if (seed !== undefined) return `${seed} ${invariant}`
  if (child.exitCode !== 0) throw new Error(`${id} could not be tried:\n${complained}`)
  return null
}

const chosen = mutations.filter(({ id }) => values.only.length === 0 || values.only.includes(id))
let missed = 0
say('| rule | broken how | seed, invariant |')
say('| ---- | ---------- | --------------- |')
for (const mutation of chosen) {
  const { rule, how } = mutation
  const found = await firstFailure(mutation)
  if (found === null) missed += 1
  say(`| ${rule} | ${how} | ${found ?? 'NOT FOUND'} |`)
}
say(`${chosen.length} mutations, ${missed} not found in ${values.seeds} seeds`)
process.exitCode = missed === 0 ? 0 : 1
