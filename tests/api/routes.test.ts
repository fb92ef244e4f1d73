import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openApiPath } from '@tollgate/infra/http/openapi/document.ts'
import { startWholeTollgate, type WholeTollgate } from '../support/whole-tollgate.ts'
import { CONTRACT_ROUTES, NEIGHBOUR_ROUTES } from './contract-routes.ts'
import { mentions, routesIn, type TabledRoute, testFiles, withRouteTable } from './route-table.ts'

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

test('given the routes served, when the table in the README is written anew, then it says the same: every route has its role and a test that calls it', () => {
  const readme = readFileSync(join(ROOT, 'command-api/README.md'), 'utf8')
  // Otherwise: npm run routes
  expect(readme).toBe(withRouteTable(readme, routes, testFiles(ROOT)))
})

test.each([
  [`callRoute(routes, 'POST /api/token', {})`, 'POST', '/api/token', true],
  [`client.send('PUT', '/api/token/?status_only=true', {})`, 'PUT', '/api/token', true],
  ['root.ask("DELETE", `/api/token/${id}`)', 'DELETE', '/api/token/{id}', true],
  [`'GET /api/token/:id'`, 'GET', '/api/token/{id}', true],
  [`'POST /api/token/batch'`, 'POST', '/api/token', false],
  [`'GET /api/token'`, 'POST', '/api/token', false],
  ['fetch(`${url}/api/token?p=0`)', 'GET', '/api/token', true],
  [`client.send('POST', '/api/token')`, 'GET', '/api/token', false],
])(
  'given a test that says %s, when asked whether it calls %s %s, then %s',
  (text, method, path, expected) => {
    expect(mentions({ path: '', text }, { method, path, access: 'user' })).toBe(expected)
  },
)

test('given a route without a test, when the table is written, then it is refused by name', () => {
  const lone = { method: 'GET', path: '/api/lone', access: 'user' }
  const readme = readFileSync(join(ROOT, 'command-api/README.md'), 'utf8')
  expect(() => withRouteTable(readme, [lone], [])).toThrow('no test calls GET /api/lone')
})

test('given a table that names a test, when it is written anew, then it names the same while that calls the route, else another', () => {
  const readme = readFileSync(join(ROOT, 'command-api/README.md'), 'utf8')
  const route = { method: 'GET', path: '/api/notice', access: 'public' }
  const calling = (path: string) => ({ path, text: `'GET /api/notice'` })
  const first = withRouteTable(readme, [route], [calling('b.test.ts')])
  expect(first).toContain('| `GET /api/notice` | —    | `b.test.ts` |')
  expect(withRouteTable(first, [route], [calling('a.test.ts'), calling('b.test.ts')])).toBe(first)
  expect(withRouteTable(first, [route], [calling('a.test.ts')])).toContain('`a.test.ts`')
})
