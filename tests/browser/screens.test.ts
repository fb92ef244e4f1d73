import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SCREENS, VISITOR_SCREENS } from './screens.ts'

/** Opened in tests of their own: before the setup, after a link in a mail or a provider's page, or leading elsewhere, or of one thing. */
const ELSEWHERE = [
  '/audit/charges/$requestId',
  '/audit/events/$position',
  '/audit/statement',
  '/channel/add',
  '/channel/edit/$id',
  '/oauth/$provider',
  '/setup',
  '/user/edit',
  '/user/edit/$id',
  '/user/reset',
]

test('given the console’s routes, when screens are opened and photographed, then none is left out', () => {
  const tree = readFileSync(join(import.meta.dirname, '../../console/src/routeTree.gen.ts'), 'utf8')
  const paths = /fullPaths:(?<union>[^:]*)fileRoutesByTo/u.exec(tree)?.groups?.['union'] ?? ''
  const routes = [...paths.matchAll(/'([^']+)'/gu)].map(([, path]) =>
    path?.replace(/(.)\/$/u, '$1'),
  )
  expect(routes.length).toBeGreaterThan(15)
  const opened = new Set<unknown>([...ELSEWHERE, ...SCREENS, ...VISITOR_SCREENS])
  expect(routes.filter((route) => !opened.has(route))).toEqual([])
})
