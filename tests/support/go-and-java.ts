import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { madeFolder, type MadeOnce, makeOnce, run } from './made-once.ts'

export type CompiledLanguage = 'Go' | 'Java'

const sourceOf = (language: string): string =>
  fileURLToPath(new URL(`../conformance/${language}`, import.meta.url))
const GO = sourceOf('go')
const JAVA = sourceOf('java')

/** Its parts are pinned by go.sum; the toolchain is the machine's, never one that go fetches. */
const GO_ENVIRONMENT = {
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-mod=readonly -buildvcs=false',
  CGO_ENABLED: '0',
}
/** Compiled in as little time as it takes: the clients run for seconds. */
const GO_QUICKLY = ['-gcflags=all=-N -l', '-ldflags=-s -w']

const CLIENTS: Readonly<Record<CompiledLanguage, MadeOnce>> = {
  Go: {
    name: '.go-clients',
    source: GO,
    make: (folder) => {
      mkdirSync(folder)
      const env = { ...process.env, ...GO_ENVIRONMENT }
      run('go', ['build', ...GO_QUICKLY, '-o', `${folder}/`, './clients/...'], { cwd: GO, env })
    },
  },
  Java: {
    name: '.java-clients',
    source: JAVA,
    make: (folder) => {
      const goals = ['dependency:copy-dependencies', 'compiler:compile']
      const checked = ['-B', '-q', '--strict-checksums']
      run('mvn', [...checked, `-Dfolder=${folder}`, ...goals], { cwd: JAVA })
    },
  },
}

/** Builds the clients of a language unless they stand already; or says why this machine cannot. */
export const prepareCompiled = (
  language: CompiledLanguage,
): { readonly path: string } | { readonly missing: string } => makeOnce(CLIENTS[language])

/** Whether the test command could build the clients of a language. */
export const isCompiled = (language: CompiledLanguage): boolean =>
  madeFolder(CLIENTS[language]) !== undefined

/** The command that starts a client: a program below `go/clients`, a class below `java/src`. */
export function compiledCommand(
  language: CompiledLanguage,
  name: string,
): readonly [string, ...string[]] {
  const folder = madeFolder(CLIENTS[language])
  if (folder === undefined) throw new Error(`no client in ${language} has been built`)
  if (language === 'Go') return [join(folder, name)]
  const path = `${join(folder, 'classes')}:${join(folder, 'packages/*')}`
  return ['java', ...JAVA_QUICKLY, '-cp', path, `tollgate.${name}`]
}

/** A process of seconds is not worth the second compiler, nor collectors for many cores. */
const JAVA_QUICKLY = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto']
