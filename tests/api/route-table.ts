import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { callsIn, isCallOf } from './route-calls.ts'

/** The OpenAPI document's description of one route, as far as the table shows it. */
export interface TabledRoute {
  readonly method: string
  /** As in the document: `/api/token/{id}`. */
  readonly path: string
  readonly access: string
  /** The folder of its code; looked for when not said. */
  readonly home?: string
}

const documentSchema = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.looseObject({ 'x-access': z.string().optional() })),
  ),
})

/** The console's routes in the document; the relay's have no access level. */
export const routesIn = (document: unknown): readonly TabledRoute[] =>
  Object.entries(documentSchema.parse(document).paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { 'x-access': access }]) =>
      access === undefined ? [] : [{ method: method.toUpperCase(), path, access }],
    ),
  )

/** The calls of the contract's neighbourhood (console-api 2.13), which are no console routes and not in the document. */
export const neighboursOf = (names: readonly string[]): readonly TabledRoute[] =>
  names.map((name) => {
    const [method = '', path = ''] = name.split(' ')
    return path.startsWith('/pg/')
      ? { method, path, access: 'user', home: 'relay/pipeline' }
      : { method, path, access: 'token', home: 'relay/billing' }
  })

/** A file of the repository, with its text. */
export interface SourceFile {
  /** From the repository's root. */
  readonly path: string
  readonly text: string
}

/** Every TypeScript file that git knows of or would take in. */
export function sourceFiles(root: string): readonly SourceFile[] {
  const listed = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '--', '*.ts'],
    { cwd: root, encoding: 'utf8' },
  )
  return listed
    .split('\n')
    .filter((path) => path !== '' && existsSync(`${root}/${path}`))
    .map((path) => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }))
}

/** Finds the test that covers a route among the files of a repository. */
export interface Coverage {
  /**
   * The nearest test that calls the route: beside its code, then in its package, then elsewhere; walks over all routes
   * come last. Among equally near ones the one `named` already. Null when none calls it.
   */
  testOf(route: TabledRoute, named: string | null): string | null
}

export function coverageOf(files: readonly SourceFile[]): Coverage {
  const isTest = ({ path }: SourceFile) => path.endsWith('.test.ts')
  const tests = files.filter(isTest).map(({ path, text }) => ({ path, calls: callsIn(text) }))
  const sources = files.filter((file) => !isTest(file) && !file.path.startsWith('tests/'))
  return {
    testOf(route, named) {
      const home = route.home ?? homeOf(route, sources)
      const far = (path: string) => distance(path, home)
      const covering = tests
        .filter(({ calls }) => calls.some((call) => isCallOf(call, route)))
        .map(({ path }) => path)
        .toSorted((a, b) => far(a) - far(b) || a.localeCompare(b))
      const [nearest = null] = covering
      const isNamedAsNear =
        named !== null &&
        nearest !== null &&
        covering.includes(named) &&
        far(named) === far(nearest)
      return isNamedAsNear ? named : nearest
    },
  }
}

/** The folder of the code that serves a route; '' when none names it. */
function homeOf({ method, path }: TabledRoute, sources: readonly SourceFile[]): string {
  const written = path.replaceAll(/\{(\w+)\}/g, ':$1').replaceAll('.', String.raw`\.`)
  const definition = new RegExp(String.raw`method: '${method}',\s+path: '${written}/?'`)
  const home = sources.find(({ text }) => definition.test(text))
  return home === undefined ? '' : dirname(home.path)
}

function distance(path: string, home: string): number {
  if (path.startsWith('tests/')) return path.startsWith('tests/api/') ? 4 : 3
  if (home === '' || path.split('/')[0] !== home.split('/')[0]) return 2
  return dirname(path) === home ? 0 : 1
}

const ROLES: Readonly<Record<string, string>> = {
  public: '—',
  visitor: '— (session if there is one)',
  user: '1',
  admin: '10',
  root: '100',
  token: 'API token',
}

const BEGIN = '<!-- routes: written by `npm run routes` -->'
const END = '<!-- /routes -->'

/** The README with the table of all routes between its marks; fails when a route has no test or the marks are gone. */
export function withRouteTable(
  readme: string,
  routes: readonly TabledRoute[],
  files: readonly SourceFile[],
): string {
  const coverage = coverageOf(files)
  const [before, rest] = readme.split(BEGIN)
  const [present = '', after] = rest?.split(END) ?? []
  if (before === undefined || after === undefined)
    throw new Error(`no ${BEGIN} … ${END} in the README`)
  const named = new Map(
    [...present.matchAll(/^\| (`[^`]+`)[^|]*\|[^|]*\| `([^`]+)`/gm)].map(([, name, test]) => [
      name,
      test,
    ]),
  )
  const rows = [...routes]
    .toSorted((a, b) => a.path.localeCompare(b.path) || a.method.localeCompare(b.method))
    .map((route) => {
      const name = `\`${route.method} ${route.path}\``
      const test = coverage.testOf(route, named.get(name) ?? null)
      if (test === null) throw new Error(`no test calls ${route.method} ${route.path}`)
      return [name, ROLES[route.access] ?? route.access, `\`${test}\``]
    })
  return `${before}${BEGIN}\n\n${table([['Route', 'Role', 'Covered by'], ...rows])}\n\n${END}${after}`
}

/** Markdown as the formatter leaves it: columns padded to their widest cell. */
function table(rows: ReadonlyArray<readonly string[]>): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  )
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}
