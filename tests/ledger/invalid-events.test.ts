import { loadAccount } from '@tollgate/command-api/accounts/load-account.ts'
import { type DomainEvent, LOG_START } from '@tollgate/domain/event.ts'
import { verifyLog } from '@tollgate/infra/audit/verify-log.ts'
import { systemRandomness } from '@tollgate/infra/processes/runtime.ts'
import { setAside } from '@tollgate/infra/set-aside/set-aside.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type AuditedLog,
  eventStoreDbAuditedLog,
  postgresAuditedLog,
} from '../support/histories/audited-log.ts'
import { testClock } from '../support/projection-log.ts'

const STREAM = 'account-1'
const opened: DomainEvent = { type: 'AccountOpened', data: { at: 1 } }
const credit = (amount: unknown): DomainEvent =>
  ({ type: 'QuotaCredited', data: { at: 1, amount, source: 'grant', reason: '' } }) as DomainEvent
const NAMED = /event 2 of stream account-1 .*QuotaCredited version 2 .*data\.amount: /u

describe.each([
  { engine: 'PostgreSQL', open: postgresAuditedLog },
  { engine: 'EventStoreDB (protocol double)', open: eventStoreDbAuditedLog },
])('given a chained event that does not fit its schema, in $engine', ({ open }) => {
  let log: AuditedLog
  beforeEach(async () => {
    log = await open()
    await log.append(STREAM, opened, credit(5), credit('7'))
    await log.append('account-2', opened)
  })
  afterEach(() => log.close())

  test('when its owner loads the account, then the error names the place and the field', async () => {
    await expect(loadAccount(log.openAgain(), STREAM)).rejects.toThrow(NAMED)
  })

  test('when the log is read, then the event is passed over and noted, and other streams go on', async () => {
    const store = log.openAgain()
    const read = await store.readAll(LOG_START, 'all', 10)
    expect(read.map(({ stream, revision }) => `${stream}@${revision}`)).toEqual([
      'account-1@0',
      'account-1@1',
      'account-2@0',
    ])
    expect(store.foreignEvents?.()).toEqual([{ stream: STREAM, revision: 2 }])
  })

  test('when the log is read bare, then the event is passed over or its data names the field', async () => {
    const filter = { streamPrefixes: ['account-'], types: ['QuotaCredited'] }
    const read = (await log.openAgain().readBare?.(LOG_START, filter, 10)) ?? []
    expect(read[0]?.data).toMatchObject({ amount: 5 })
    for (const event of read.slice(1)) expect(() => event.data).toThrow(NAMED)
  })

  test('when the log is verified, then the event is the break, until it is set aside', async () => {
    const { firstBreak } = await verifyLog(log.openAgain())
    expect(firstBreak).toMatchObject({ stream: STREAM, revision: 2 })
    expect(firstBreak?.found).toMatch(NAMED)
    const engines = { store: log.store, clock: testClock, randomness: systemRandomness }
    await setAside(engines, { stream: STREAM, revision: 2 }, 'no number')
    expect(await verifyLog(log.openAgain())).toMatchObject({
      firstBreak: null,
      setAside: { count: 1 },
    })
    expect((await loadAccount(log.openAgain(), STREAM)).state.posted).toBe(5)
  })
})
