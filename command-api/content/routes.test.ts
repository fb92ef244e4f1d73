import { expect, test } from 'vitest'
import { callerWith, callRoute } from '@tollgate/tests/support/command-api.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { contentRoutes } from './routes.ts'

test('given a database that goes and comes, when tested, then it is asked every ten seconds at most and 503 says it is away', async () => {
  let now = 0
  let isUp = true
  let pings = 0
  const routes = contentRoutes({
    options: {
      current: () => optionsFrom([]),
      secret: () => '',
      waitFor: () => Promise.resolve(true),
      ended: Promise.resolve(),
    },
    version: '1',
    startedAt: 0,
    isSetUp: () => Promise.resolve(true),
    pingDatabase: () => {
      pings++
      return isUp ? Promise.resolve() : Promise.reject(new Error('away'))
    },
    clock: { monotonicMs: () => now },
    isDemo: false,
  })
  const ask = () => callRoute(routes, 'GET /api/status/test', { caller: callerWith(1, 10) })
  expect(await ask()).toEqual({ message: 'Server is running' })
  isUp = false
  now = 9_999
  expect(await ask()).toEqual({ message: 'Server is running' })
  now = 10_000
  expect(await ask()).toEqual({ success: false, message: '数据库连接失败', status: 503 })
  expect(pings).toBe(2)
})
