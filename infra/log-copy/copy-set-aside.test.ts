import type { DomainEvent } from '@tollgate/domain/event.ts'
import {
  type AuditedLog,
  eventStoreDbAuditedLog,
  forgedEvent,
  postgresAuditedLog,
  strangeEvent,
} from '@tollgate/tests/support/histories/audited-log.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { verifyLog } from '../audit/verify-log.ts'
import type { AuditableEventStore } from '../event-store/auditable-store.ts'
import { systemClock, systemRandomness } from '../processes/runtime.ts'
import { setAside } from '../set-aside/set-aside.ts'
import { copyLog } from './copy-log.ts'

const clock = systemClock
const credit = (amount: number): DomainEvent =>
  ({ type: 'QuotaCredited', data: { at: 2, amount, source: 'grant', reason: '' } }) as DomainEvent

const kept = async (store: AuditableEventStore) =>
  (await store.readStoredLog(-1, 100)).map((event) => ({
    ...event,
    position: null,
    recordedAt: null,
    columns: null,
  }))

describe.each([
  { from: 'PostgreSQL', openSource: postgresAuditedLog, openTarget: eventStoreDbAuditedLog },
  {
    from: 'EventStoreDB (protocol double)',
    openSource: eventStoreDbAuditedLog,
    openTarget: postgresAuditedLog,
  },
])('copying a log from $from in which another client wrote', ({ openSource, openTarget }) => {
  let source: AuditedLog
  let target: AuditedLog
  beforeEach(async () => {
    source = await openSource()
    target = await openTarget()
    await source.append('account-1', credit(1))
    await source.append('account-2', credit(2))
    await source.forge('account-1', strangeEvent())
    await source.forge('account-1', forgedEvent('account-1', credit(9)))
  })
  afterEach(async () => {
    await source.close()
    await target.close()
  })
  const append: AuditableEventStore['appendStored'] = (...args) =>
    target.store.appendStored(...args)
  const copy = (appendStored: AuditableEventStore['appendStored'] = append) =>
    copyLog({
      source: source.store,
      target: { ...target.store, appendStored },
      clock,
      onProgress: () => undefined,
    })

  test('given events that nobody has set aside, when copied, then the first one is named', async () => {
    await expect(copy()).rejects.toThrow(/event 1 of stream account-1 is not what was written/u)
  })

  test('given events set aside, when copied and stopped at any append, then they go along as they are', async () => {
    const engines = { store: source.store, clock, randomness: systemRandomness }
    for (const revision of [1, 2]) {
      await setAside(engines, { stream: 'account-1', revision }, 'by hand')
      await source.append(`account-${revision + 5}`, credit(3))
    }
    const whole = await kept(source.store)
    expect(whole).toHaveLength(8)
    for (let runs = 1; ; runs += 1) {
      let calls = 0
      const once: AuditableEventStore['appendStored'] = async (...args) => {
        calls += 1
        if (calls > 1) throw new Error('killed')
        return append(...args)
      }
      const outcome = await copy(once).catch((error: unknown) => String(error))
      expect(await kept(target.store)).toEqual(whole.slice(0, (await kept(target.store)).length))
      if (outcome !== 'Error: killed') {
        expect(runs).toBeGreaterThan(3)
        break
      }
    }
    expect(await copy()).toEqual({ there: 8, appended: 0, wasWhole: false })
    expect(await verifyLog(target.store)).toMatchObject({
      firstBreak: null,
      events: 6,
      setAside: { count: 2 },
    })
  })
})
