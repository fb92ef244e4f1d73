import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openApiPath } from '@tollgate/infra/http/openapi/document.ts'
import { startWholeTollgate, type WholeTollgate } from '../support/whole-tollgate.ts'
import { CONTRACT_ROUTES, NEIGHBOUR_ROUTES } from './contract-routes.ts'
import { callsIn, isCallOf } from './route-calls.ts'
import {
  coverageOf,
  neighboursOf,
  routesIn,
  sourceFiles,
  type TabledRoute,
  withRouteTable,
} from './route-table.ts'

const ROOT = join(import.meta.dirname, '../..')

let whole: WholeTollgate
let routes: readonly TabledRoute[]

beforeAll(async () => {
  whole = await startWholeTollgate()
  const answer = await fetch(`${whole.tollgate.url}/api/openapi.json`)
  routes = routesIn(await answer.json())
}, 60_000)
afterAll(() => whole.stop(), 30_000)

test('given the contract, when its routes are looked for, then each is served', () => {
  const served = new Set(routes.map(({ method, path }) => `${method} ${path}`))
  const missing = Object.values(CONTRACT_ROUTES)
    .flat()
    .map((route) => route.slice(2))
    .filter((name) => !served.has(openApiPath(name)))
  const missingBeside = NEIGHBOUR_ROUTES.filter((name) => {
    const [method = '', url = ''] = name.split(' ')
    return !whole.tollgate.http.hasRoute({ method, url })
  })
  expect([...missing, ...missingBeside]).toEqual([])
})

test('given the routes served, when the README’s table is written anew, then it is the same', () => {
  const readme = readFileSync(join(ROOT, 'command-api/README.md'), 'utf8')
  // Otherwise: npm run routes
  const all = [...routes, ...neighboursOf(NEIGHBOUR_ROUTES)]
  expect(readme).toBe(withRouteTable(readme, all, sourceFiles(ROOT)))
})

test.each([
  [`callRoute(routes, 'POST /api/token', {})`, 'POST', '/api/token', true],
  [`client.send('PUT', '/api/token/?status_only=true', {})`, 'PUT', '/api/token', true],
  ['root.ask("DELETE", `/api/token/${id}`)', 'DELETE', '/api/token/{id}', true],
  ['fetch(`${url}/api/token?p=0`)', 'GET', '/api/token', true],
  [`fetch(url + '/api/token', { method: 'POST' })`, 'POST', '/api/token', true],
  [`http.inject({ method: 'PUT', url: '/api/token' })`, 'PUT', '/api/token', true],
  [`callRoute(routes, isNew ? 'POST /api/token' : 'PUT /api/token')`, 'PUT', '/api/token', true],
  [`const PATH = '/api/token'; fetch(PATH)`, 'GET', '/api/token', true],
  [`const get = (path) => fetch(path); get('/api/token')`, 'GET', '/api/token', true],
  [`const put = (path) => send('PUT', path); put('/api/token')`, 'PUT', '/api/token', true],
  [`test.each([['PUT /api/token', 1]])('x', (name) => call(name))`, 'PUT', '/api/token', true],
  [`const CASES = [{ route: 'GET /api/token/:id' }]`, 'GET', '/api/token/{id}', true],
  [`expect(names).toEqual(['POST /api/token'])`, 'POST', '/api/token', false],
  [`expect(document.paths['/api/token']).toBeDefined()`, 'GET', '/api/token', false],
  [`server.get('/api/token', () => 'made up')`, 'GET', '/api/token', false],
  [`// callRoute(routes, 'POST /api/token')`, 'POST', '/api/token', false],
  [`call('POST /api/token/batch')`, 'POST', '/api/token', false],
  [`call('GET /api/token/search')`, 'GET', '/api/token/{id}', false],
  [`call('GET /api/token')`, 'POST', '/api/token', false],
  [`client.send('POST', '/api/token')`, 'GET', '/api/token', false],
])(
  'given a test that says %s, when asked whether it calls %s %s, then %s',
  (text, method, path, expected) => {
    expect(callsIn(text).some((call) => isCallOf(call, { method, path }))).toBe(expected)
  },
)

test('given tests near and far, when one that covers a route is sought, then the nearest is found', () => {
  const route = { method: 'GET', path: '/api/notice', access: 'public' }
  const source = {
    path: 'pkg/notices/routes.ts',
    text: `route({ method: 'GET',\n path: '/api/notice' })`,
  }
  const calling = (path: string) => ({ path, text: `call('GET /api/notice')` })
  const listing = { path: 'pkg/notices/routes.test.ts', text: `expect('GET /api/notice')` }
  const files = ['tests/api/walk.test.ts', 'other/a.test.ts', 'tests/e2e.test.ts'].map(calling)
  const near = [calling('pkg/b.test.ts'), source, listing]
  expect(coverageOf(near).testOf(route, null)).toBe('pkg/b.test.ts')
  expect(coverageOf([...files, ...near]).testOf(route, 'other/a.test.ts')).toBe('pkg/b.test.ts')
  expect(coverageOf([source, listing]).testOf(route, listing.path)).toBeNull()
})

test('given a route without a test, when the table is written, then it is refused by name', () => {
  const lone = { method: 'GET', path: '/api/lone', access: 'user' }
  const readme = readFileSync(join(ROOT, 'command-api/README.md'), 'utf8')
  expect(() => withRouteTable(readme, [lone], [])).toThrow('no test calls GET /api/lone')
})

test('given a table that names a test, when written anew, then it keeps it while it calls the route', () => {
  const readme = readFileSync(join(ROOT, 'command-api/README.md'), 'utf8')
  const route = { method: 'GET', path: '/api/notice', access: 'public' }
  const calling = (path: string) => ({ path, text: `call('GET /api/notice')` })
  const first = withRouteTable(readme, [route], [calling('b.test.ts')])
  expect(first).toContain('| `GET /api/notice` | —    | `b.test.ts` |')
  expect(withRouteTable(first, [route], [calling('a.test.ts'), calling('b.test.ts')])).toBe(first)
  expect(withRouteTable(first, [route], [calling('a.test.ts')])).toContain('`a.test.ts`')
})
