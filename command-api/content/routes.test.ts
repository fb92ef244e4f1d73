import { expect, test } from 'vitest'
import { callerWith, callRoute } from '@tollgate/tests/support/command-api.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { NO_SETTINGS } from '@tollgate/domain/settings/state.ts'
import { z } from 'zod'
import { type ContentDeps, contentRoutes } from './routes.ts'

test('given a refresh interval of the dashboard, when the status is asked for, then it says the minutes', async () => {
  const minutes = async (texts: [string, string][]) =>
    z
      .object({ data_export_interval: z.number() })
      .parse((await callRoute(routesWith(texts), 'GET /api/status')).data).data_export_interval
  expect(await minutes([])).toBe(5)
  expect(await minutes([['DataExportInterval', '12']])).toBe(12)
})

function routesWith(texts: [string, string][], deps: Partial<ContentDeps> = {}) {
  return contentRoutes({
    options: {
      current: () => optionsFrom(texts),
      prices: () => NO_SETTINGS.prices,
      secret: () => '',
      waitFor: () => Promise.resolve(true),
      isFollowing: () => true,
      ended: Promise.resolve(),
    },
    version: '1',
    timeZone: 'Europe/Berlin',
    startedAt: 0,
    isSetUp: () => Promise.resolve(true),
    pingDatabase: () => Promise.resolve(),
    clock: { monotonicMs: () => 0 },
    isDemo: false,
    ...deps,
  })
}

test('given a database that goes and comes, when tested, then 503 says so, asked once in ten seconds', async () => {
  let now = 0
  let isUp = true
  let pings = 0
  const routes = routesWith([], {
    pingDatabase: () => {
      pings++
      return isUp ? Promise.resolve() : Promise.reject(new Error('away'))
    },
    clock: { monotonicMs: () => now },
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
