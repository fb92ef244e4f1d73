import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { compiledCommand, isCompiled } from '../support/go-and-java.ts'
import { pythonEnvironment, pythonPath } from '../support/python.ts'
import type { Protocol } from './recordings/recording.ts'

/** What Java's clients share. */
const JAVA_SHARED = 'Jobs.java'
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

const LANGUAGES = ['JavaScript', 'Python', 'Go', 'Java'] as const
type Language = (typeof LANGUAGES)[number]

/** A module below `clients/` or `python/`, a program below `go/` or `java/`: each a process of its own. */
export interface Client {
  readonly name: string
  readonly language: Language
  readonly module: string
}

/** Clients that ask for each recording. */
export const CLIENTS: readonly Client[] = [...clientsIn('client', 'clients'), ...compiledClients()]
/** Those that go through what users do with a client, up to long loops of tools. */
export const JOURNEYS: readonly Client[] = clientsIn('journey', 'journeys')

/** JavaScript's are files such as `journey.js`, or `journey-google.js` where a client has several. */
function clientsIn(kind: string, pythonFolder: string): readonly Client[] {
  return [
    ...readdirSync(`${folder}clients`).flatMap((name) =>
      readdirSync(`${folder}clients/${name}`)
        .filter((file) => file.endsWith('.js') && file.startsWith(kind))
        .map((file) => ({
          name: `${name}${file.slice(kind.length, -'.js'.length)}`,
          language: 'JavaScript' as const,
          module: `./clients/${name}/${file}`,
        })),
    ),
    ...readdirSync(`${folder}python/${pythonFolder}`)
      .filter((one) => one.endsWith('.py'))
      .map((one) => one.slice(0, -'.py'.length))
      .map((name) => ({ name, language: 'Python' as const, module: `${pythonFolder}/${name}` })),
  ]
}

function compiledClients(): readonly Client[] {
  const java = readdirSync(`${folder}java/src/tollgate`)
    .filter((file) => file.endsWith('.java') && file !== JAVA_SHARED)
    .map((file) => file.slice(0, -'.java'.length))
  return [
    ...readdirSync(`${folder}go/clients`).map((name) => ({ name, language: 'Go' as const })),
    ...java.map((name) => ({ name, language: 'Java' as const })),
  ].map((client) => ({ ...client, module: client.name }))
}

/** Whether the test command could make what clients of a language run on. */
export function isAvailable(language: Language): boolean {
  if (language === 'JavaScript') return true
  return language === 'Python' ? pythonPath() !== undefined : isCompiled(language)
}

/** Whether every client can run here. */
export const areAllAvailable = (): boolean => LANGUAGES.every(isAvailable)

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
  if (language !== 'Python') {
    const [program, ...args] = compiledCommand(language, module)
    return spawn(program, args, { cwd: folder })
  }
  const python = pythonPath()
  if (python === undefined) throw new Error(`no Python for ${name}`)
  return spawn(python, ['run.py', module], { cwd: `${folder}python`, env: pythonEnvironment(name) })
}
