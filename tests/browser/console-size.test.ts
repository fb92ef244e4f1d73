import { globSync } from 'node:fs'
import { join } from 'node:path'
import { buildConsole } from '@tollgate/infra/build-console.ts'
import { beforeAll, expect, test } from 'vitest'
import { consoleSizes } from '../../console/size-report.ts'

const ROUTES = join(import.meta.dirname, '../../console/src/routes')
/** A build takes minutes on a small busy machine. */
const BUILD_TIMEOUT_MS = 11 * 60_000

beforeAll(async () => {
  await buildConsole()
}, BUILD_TIMEOUT_MS)

test('given the built console, when its files are weighed, then nothing is over its limit', () => {
  const over = consoleSizes().filter(({ bytes, limit }) => bytes > limit)
  expect(over).toEqual([])
})

test('given the console’s routes, when the sizes are listed, then each has one', () => {
  const routes = globSync('**/[!_]*.tsx', { cwd: ROUTES })
  const screens = consoleSizes().filter(({ name }) => /(?:^|, )\//.test(name))
  expect(screens.length).toBe(routes.length)
  expect(routes.length).toBeGreaterThan(25)
})
