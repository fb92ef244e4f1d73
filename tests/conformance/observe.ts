import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { pythonEnvironment, pythonPath } from '../support/python.ts'
import type { Protocol } from './recordings/recording.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** What a client is to ask. */
export interface Job {
  readonly id: string
  readonly protocol: Protocol
  readonly baseURL: string
  readonly apiKey: string
  readonly model: string
  readonly kind: string
}

/** A module below `clients/` or `python/`, each a process of its own. */
export interface Client {
  readonly name: string
  readonly language: 'JavaScript' | 'Python'
  readonly module: string
}

/** Clients that ask for each recording. */
export const CLIENTS: readonly Client[] = clientsIn('client.js', 'clients')
/** Those that go through what users do with a client, up to long loops of tools. */
export const JOURNEYS: readonly Client[] = clientsIn('journey.js', 'journeys')

function clientsIn(file: string, pythonFolder: string): readonly Client[] {
  return [
    ...readdirSync(`${folder}clients`)
      .map((name) => ({
        name,
        language: 'JavaScript' as const,
        module: `./clients/${name}/${file}`,
      }))
      .filter(({ module }) => existsSync(`${folder}${module}`)),
    ...readdirSync(`${folder}python/${pythonFolder}`)
      .filter((one) => one.endsWith('.py'))
      .map((one) => one.slice(0, -'.py'.length))
      .map((name) => ({ name, language: 'Python' as const, module: `${pythonFolder}/${name}` })),
  ]
}

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

function start({ name, language, module }: Client): ChildProcessWithoutNullStreams {
  if (language === 'JavaScript') return spawn(process.execPath, ['run.js', module], { cwd: folder })
  const python = pythonPath()
  if (python === undefined) throw new Error(`no Python for ${name}`)
  return spawn(python, ['run.py', module], { cwd: `${folder}python`, env: pythonEnvironment(name) })
}
