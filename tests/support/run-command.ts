import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { productArguments } from './product-arguments.ts'

/** The exit and output of a command. */
export interface CommandRun {
  readonly code: unknown
  readonly out: string
  readonly err: string
}

/** A command that takes longer than this hangs. */
const COMMAND_MS = 60_000

/** Runs a command of infra/processes/commands, or a script below tests, as npm would, and waits for its end. */
export async function runCommand(
  script: URL,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<CommandRun> {
  const child = spawn(process.execPath, [...productArguments(fileURLToPath(script)), ...words], {
    env: { ...process.env, ...env },
    timeout: COMMAND_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<unknown[]>,
  ])
  return { code, out, err }
}
