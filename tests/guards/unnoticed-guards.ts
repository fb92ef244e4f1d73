import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cp,
  glob,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { type Guard, guardsOf } from './guards.ts'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
const VITEST = join(REPOSITORY, 'node_modules/vitest/vitest.mjs')

/** The findings about the guards of some modules. */
export interface GuardReport {
  readonly guards: number
  /** Those whose removal no test notices, as `domain/task/decider.ts:12: if (…)`. */
  readonly unnoticed: readonly string[]
}

/**
 * Removes each guard of the given modules in turn, and runs the tests of the module: `x*.test.ts` for `x.ts`. Modules are
 * named relative to the repository and lie two folders deep (`domain/account/decider.ts`). All copies are tested in one
 * run of vitest, each in a folder of its own beside links to everything else.
 * Throws when the tests of an unchanged module fail.
 */
export async function unnoticedGuards(modules: readonly string[]): Promise<GuardReport> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'tollgate-guards-')))
  try {
    await symlink(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'))
    const guards: { readonly name: string; readonly folder: string }[] = []
    for (const module of modules) {
      const source = await readFile(join(REPOSITORY, module), 'utf8')
      await copyOf(root, module, 'whole', source)
      for (const guard of guardsOf(source)) {
        const folder = await copyOf(root, module, `${guard.line}`, guard.without)
        guards.push({ name: nameOf(module, guard), folder })
      }
    }
    const failed = await foldersThatFail(root)
    const broken = modules.filter((module) => failed.has(folderOf(module, 'whole')))
    if (broken.length > 0) throw new Error(`tests fail without any change: ${broken.join(', ')}`)
    const unnoticed = guards.filter(({ folder }) => !failed.has(folder)).map(({ name }) => name)
    return { guards: guards.length, unnoticed }
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

const nameOf = (module: string, { line, condition }: Guard): string =>
  `${module}:${line}: if (${condition})`

const folderOf = (module: string, name: string): string => `${dirname(module)}@${name}`

/** Answers the folder, relative to the root, in which the module has this text and its tests beside it. */
async function copyOf(root: string, module: string, name: string, source: string): Promise<string> {
  const folder = folderOf(module, name)
  const original = join(REPOSITORY, dirname(module))
  await linksTo(dirname(original), join(root, dirname(folder)))
  await linksTo(original, join(root, folder))
  await rm(join(root, folder, basename(module)))
  await writeFile(join(root, folder, basename(module)), source)
  for await (const tests of glob(`${basename(module, '.ts')}*.test.ts`, { cwd: original })) {
    await cp(join(original, tests), join(root, folder, tests))
  }
  return folder
}

/** Makes a folder with a link to each entry of another but its tests; leaves one that is there as it is. */
async function linksTo(original: string, folder: string): Promise<void> {
  if ((await mkdir(folder, { recursive: true })) === undefined) return
  const entries = (await readdir(original)).filter((entry) => !entry.endsWith('.test.ts'))
  for (const entry of entries) await symlink(join(original, entry), join(folder, entry))
}

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string(),
      assertionResults: z.array(z.object({ status: z.string() })),
    }),
  ),
})

/** Runs all the tests below the root; answers the folders, relative to it, of files with a failed test. */
async function foldersThatFail(root: string): Promise<ReadonlySet<string>> {
  const report = join(root, 'report.json')
  const args = [
    'run',
    '--root',
    root,
    '--no-isolate',
    '--maxWorkers=2',
    // Tests in folders of a module's folder are not its own.
    '--exclude=*/*/*/**',
    '--reporter=json',
    `--outputFile=${report}`,
  ]
  const child = spawn(process.execPath, [VITEST, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: root,
  })
  const [said] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'exit')])
  const written = await readFile(report, 'utf8').catch(() => {
    throw new Error(`vitest wrote no report:\n${said}`)
  })
  const { testResults } = reportSchema.parse(JSON.parse(written))
  const failed = new Set<string>()
  for (const { name, message, assertionResults } of testResults) {
    if (assertionResults.length === 0) throw new Error(`${name} could not be run: ${message}`)
    if (assertionResults.some(({ status }) => status === 'failed'))
      failed.add(dirname(name).slice(root.length + 1))
  }
  return failed
}
