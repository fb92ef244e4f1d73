import { readFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { z } from 'zod'

/** What the OpenAPI document says of one route, as far as the table shows it. */
export interface TabledRoute {
  readonly method: string
  /** As in the document: `/api/token/{id}`. */
  readonly path: string
  readonly access: string
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

/** A test file of the repository, with its text. */
export interface TestFile {
  /** From the repository's root. */
  readonly path: string
  readonly text: string
}

/** Every test file that git knows of or would take in. */
export function testFiles(root: string): readonly TestFile[] {
  const listed = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '--', '*.test.ts'],
    { cwd: root, encoding: 'utf8' },
  )
  return listed
    .split('\n')
    .filter((path) => path !== '')
    .map((path) => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }))
}

/**
 * A test names a route as `'POST /api/token'`, or calls it: `'POST', '/api/token/'`, `\`/api/token/${id}\``. A path by
 * itself is a GET.
 */
export function mentions({ text }: TestFile, { method, path }: TabledRoute): boolean {
  const written = path
    .split(/\{\w+\}/)
    .map((part) => part.replaceAll('.', String.raw`\.`))
    .join(String.raw`(?:\$\{[^}]+\}|:?[\w-]+)`)
  const before = String.raw`['"\`]${method}(?: |['"\`],\s*['"\`])`
  const called = method === 'GET' ? String.raw`(?:${before}|(?<!', )['"\`}])` : before
  return new RegExp(String.raw`${called}${written}/?(?=['"\`?])`).test(text)
}

/**
 * The test that the table names already, if it still calls the route; else the one nearest to the route's code that
 * does, walks over all routes last. Null when none does.
 */
export function coveringTest(
  route: TabledRoute,
  files: readonly TestFile[],
  named: string | null = null,
): string | null {
  const covering = files.filter((file) => mentions(file, route)).map(({ path }) => path)
  if (named !== null && covering.includes(named)) return named
  return covering.toSorted((a, b) => distance(a) - distance(b) || a.localeCompare(b))[0] ?? null
}

function distance(path: string): number {
  if (!path.startsWith('tests/')) return 0
  // Lists names of routes without calling each by its own.
  if (path === 'tests/api/access.test.ts') return 3
  return path.startsWith('tests/api/') ? 2 : 1
}

const ROLES: Readonly<Record<string, string>> = {
  public: '—',
  visitor: '— (session if there is one)',
  user: '1',
  admin: '10',
  root: '100',
}

const BEGIN = '<!-- routes: written by `npm run routes` -->'
const END = '<!-- /routes -->'

/** The README with the table of all routes between its marks; fails when a route has no test or the marks are gone. */
export function withRouteTable(
  readme: string,
  routes: readonly TabledRoute[],
  files: readonly TestFile[],
): string {
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
      const test = coveringTest(route, files, named.get(name) ?? null)
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
