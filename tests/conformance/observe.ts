import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { pythonEnvironment, pythonPath } from '../support/python.ts'
import type { Kind, Protocol } from './recordings/recording.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** What a client is to ask. */
export interface Job {
  readonly id: string
  readonly protocol: Protocol
  readonly baseURL: string
  readonly apiKey: string
  readonly model: string
  readonly kind: Kind
}

/** A client of `clients/` or `python/clients/`, each a process of its own. */
export interface Client {
  readonly name: string
  readonly language: 'JavaScript' | 'Python'
}

export const CLIENTS: readonly Client[] = [
  ...readdirSync(`${folder}clients`).map((name) => ({ name, language: 'JavaScript' as const })),
  ...readdirSync(`${folder}python/clients`)
    .filter((file) => file.endsWith('.py'))
    .map((file) => ({ name: file.slice(0, -'.py'.length), language: 'Python' as const })),
]

/** What a client's own process saw, by the job's id; jobs of protocols and kinds that it does not know are left out. */
export async function observe(
  client: Client,
  jobs: readonly Job[],
): Promise<ReadonlyMap<string, unknown>> {
  const child = start(client)
  child.stdin.end(JSON.stringify(jobs))
  const [out, err] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  if (child.exitCode !== 0) throw new Error(`${client.name} ended with ${child.exitCode}: ${err}`)
  const lines = out.split('\n').filter((line) => line.startsWith('{"id"'))
  return new Map(
    lines
      .map((line) => JSON.parse(line) as { id: string; seen: unknown })
      .map(({ id, seen }) => [id, seen]),
  )
}

function start({ name, language }: Client): ChildProcessWithoutNullStreams {
  if (language === 'JavaScript')
    return spawn(process.execPath, ['run.js', `./clients/${name}/client.js`], { cwd: folder })
  const python = pythonPath()
  if (python === undefined) throw new Error(`no Python for ${name}`)
  return spawn(python, ['run.py', name], { cwd: `${folder}python`, env: pythonEnvironment(name) })
}
