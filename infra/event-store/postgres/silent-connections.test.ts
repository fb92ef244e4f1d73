import { exampleTimelines } from '@tollgate/tests/support/example-timelines.ts'
import { AccountLedger } from '@tollgate/command-api/accounts/account-ledger.ts'
import { userId } from '@tollgate/domain/ids.ts'
import { StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import { quota } from '@tollgate/domain/quota.ts'
import {
  createMigratedDatabase,
  type TestDatabase,
} from '@tollgate/tests/support/engines/database.ts'
import { openTcpProxy } from '@tollgate/tests/support/engines/tcp-proxy.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPool } from '../../postgres/pool.ts'
import { addressByPort } from '../../postgres/socket-folder.ts'
import { systemClock, systemRandomness } from '../../processes/runtime.ts'
import { openPostgresEventStore } from './store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createMigratedDatabase()
})
afterAll(() => database.drop())

test('given silent connections, when an account is used, then the caller is told and a retry succeeds', async () => {
  const account = userId(7)
  const cause = { actor: 'system', correlationId: 'c', causationId: null } as const
  const url = new URL(addressByPort(database.url))
  const proxy = await openTcpProxy(Number(url.port))
  url.port = String(proxy.port)
  const pool = openPool(url.href, { max: 4, applicationName: 'silent', answerTimeoutMs: 400 })
  const store = openPostgresEventStore({
    pool,
    databaseUrl: database.url,
    logger: { info() {}, warn() {}, error() {} },
    clock: systemClock,
  })
  const ledger = new AccountLedger({
    timelines: exampleTimelines,
    store,
    clock: systemClock,
    randomness: systemRandomness,
  })
  await ledger.execute(account, { type: 'OpenAccount' }, cause)
  await Promise.all(Array.from({ length: 4 }, () => store.headPosition()))
  ledger.invalidate(() => true)
  proxy.cut('forget')
  const credit = { type: 'CreditQuota', amount: quota(1), source: 'grant', reason: 'r' } as const
  await until('the account is credited', async () => {
    const asked = ledger.execute(account, credit, cause)
    const outcome = await asked.catch((error: unknown) => {
      expect(error).toBeInstanceOf(StoreUnavailable)
      return null
    })
    return outcome?.status === 'done'
  })
  await store.close()
  await pool.end()
  await proxy.close()
}, 30_000)
