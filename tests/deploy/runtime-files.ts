import { readFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { dirname, join, normalize } from 'node:path'

/** The parts of a program: files of the repository by their path in it, and packages by name. */
export interface RuntimeFiles {
  readonly files: readonly string[]
  readonly packages: ReadonlySet<string>
}

/** Follows imports from the given files on. Imports of types alone are gone when the program runs. */
export async function runtimeFiles(
  repository: string,
  roots: readonly string[],
): Promise<RuntimeFiles> {
  const files = new Set(roots)
  const packages = new Set<string>()
  for (const file of files) {
    if (!file.endsWith('.ts')) continue
    for (const wanted of importsIn(await readFile(join(repository, file), 'utf8'))) {
      if (wanted.startsWith('.')) files.add(normalize(join(dirname(file), wanted)))
      else if (wanted.startsWith('@tollgate/')) files.add(wanted.slice('@tollgate/'.length))
      else if (!isBuiltIn(wanted)) packages.add(packageOf(wanted))
    }
  }
  return { files: [...files], packages }
}

/** Static and dynamic imports, re-exports, and `new URL('…', import.meta.url)` of a file that is run, such as a worker. */
function importsIn(source: string): readonly string[] {
  const code = source.replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')
  const patterns = [
    /^(?:import|export)\s+(?!type\b)[^'"]*?\bfrom\s+'([^']+)'/gm,
    /^import\s+'([^']+)'/gm,
    /\bimport\('([^']+)'\)/g,
    /new URL\('([^']+\.ts)', import\.meta\.url\)/g,
  ]
  return patterns.flatMap((pattern) => [...code.matchAll(pattern)].map(([, path]) => path ?? ''))
}

const isBuiltIn = (name: string): boolean =>
  name.startsWith('node:') || builtinModules.includes(name)

const packageOf = (path: string): string =>
  path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/')
