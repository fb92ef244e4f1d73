import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import { requestJson } from '@tollgate/infra/http/openapi/json-schema.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWholeTollgate, type WholeTollgate } from '../support/whole-tollgate.ts'
import { call } from './seeded.ts'
import { type Person, signIn } from './people.ts'

/** No text or number that an address may hold breaks a route: what nothing is called finds nothing, or is refused. */
let whole: WholeTollgate
let root: Person

beforeAll(async () => {
  whole = await startWholeTollgate()
  root = await signIn(whole, 'root')
}, 60_000)
afterAll(() => whole.stop(), 30_000)

/** Around the bounds of PostgreSQL's numbers and of JavaScript's, and characters that PostgreSQL does not store. */
const EXTREMES = [
  '-1',
  '32768',
  '2147483648',
  '-2147483649',
  '99999999999',
  '9007199254740991',
  '-9007199254740991',
  '9223372036854775808',
  '1e308',
  '%00',
  'a%00%F0%9F%98%80',
  '%25_%5C',
]

const isAsked = ({ method, path }: ApiRoute): boolean =>
  (method === 'GET' || /^POST .*:id/.test(`${method} ${path}`)) &&
  // A caller of this route is signed out.
  path !== '/api/user/logout'

const fieldsOf = ({ query }: ApiRoute): readonly string[] =>
  query === undefined ? [] : Object.keys(requestJson(query).properties ?? {})

/** With one value everywhere, and in each field alone. */
function addressesOf(route: ApiRoute, extreme: string): readonly string[] {
  const path = route.path.replaceAll(/:\w+/g, extreme)
  const fields = fieldsOf(route).map((field) => `${field}=${extreme}`)
  const queries = fields.length === 0 ? [''] : [...new Set([...fields, fields.join('&')])]
  return path === route.path && fields.length === 0
    ? []
    : queries.map((query) => (query === '' ? path : `${path}?${query}`))
}

test.each(EXTREMES)(
  'given %s wherever an address holds a value, when asked for, then no route breaks',
  async (extreme) => {
    const routes = whole.tollgate.routes.filter(isAsked)
    const broken: string[] = []
    let asked = 0
    for (const route of routes) {
      for (const address of addressesOf(route, extreme)) {
        const { status } = await call({ whole }, root, route.method, address)
        asked += 1
        if (status >= 500) broken.push(`${route.method} ${address}: ${status}`)
      }
    }
    expect(broken).toEqual([])
    expect(asked).toBeGreaterThan(100)
  },
  60_000,
)
