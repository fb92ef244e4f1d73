import { loadAccount } from '@tollgate/command-api/accounts/load-account.ts'
import { aggregateMemory, loadAggregate } from '@tollgate/command-api/aggregates/aggregate.ts'
import { openSealedRange } from '@tollgate/command-api/audit/sealed-range.ts'
import { lastSeal } from '@tollgate/command-api/audit/seals.ts'
import { type DomainEvent, LOG_START, type NewEvent } from '@tollgate/domain/event.ts'
import { EMPTY_STREAM } from '@tollgate/domain/ports/event-store.ts'
import { type LedgerSealed, SEALS_STREAM } from '@tollgate/domain/seal/events.ts'
import { SET_ASIDE } from '@tollgate/domain/set-aside/events.ts'
import {
  type AuditedLog,
  eventStoreDbAuditedLog,
  forgedEvent,
  postgresAuditedLog,
  strangeEvent,
} from '@tollgate/tests/support/histories/audited-log.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { formatVerifyReport } from '../audit/format-verify-report.ts'
import { verifyLog } from '../audit/verify-log.ts'
import { hashesIn } from '../event-store/stream-link.ts'
import { systemClock, systemRandomness } from '../processes/runtime.ts'
import { setAside } from './set-aside.ts'

const opened: DomainEvent = { type: 'AccountOpened', data: { at: 1 } }
const credit = (amount: number): DomainEvent =>
  ({ type: 'QuotaCredited', data: { at: 2, amount, source: 'grant', reason: '' } }) as DomainEvent
const newEvent = ({ type, data }: DomainEvent): NewEvent => ({
  id: systemRandomness.uuid(),
  type,
  data,
  metadata: { actor: 'system', correlationId: 'test', causationId: null, schemaVersion: 1 },
})
const STREAM = 'account-1'

describe.each([
  { engine: 'PostgreSQL', open: postgresAuditedLog },
  { engine: 'EventStoreDB (protocol double)', open: eventStoreDbAuditedLog },
])('setting events aside in $engine', ({ open }) => {
  let log: AuditedLog
  beforeEach(async () => {
    log = await open()
    await log.append(STREAM, opened, credit(100))
  })
  afterEach(() => log.close())

  const engines = () => ({
    store: log.store,
    clock: systemClock,
    randomness: systemRandomness,
  })
  const asideOf = (revision: number, stream = STREAM) =>
    setAside(engines(), { stream, revision }, 'a script wrote it')
  const posted = async (): Promise<number> => {
    const { state } = await loadAccount(log.store, STREAM)
    return state.status === 'unopened' ? 0 : state.posted
  }
  /** One more event, by an owner that has just loaded the account. */
  const goOn = async (event: DomainEvent): Promise<void> => {
    const { head } = await loadAccount(log.store, STREAM)
    await log.store.append(STREAM, [newEvent(event)], head)
  }
  const lock = { code: 'FOREIGN_EVENT' }

  test.each([
    { what: 'that cannot be read', forged: strangeEvent },
    { what: 'that does not follow by its hash', forged: () => forgedEvent(STREAM, credit(999)) },
  ])(
    'given an event $what, when it is set aside, then the account goes on and the log is whole',
    async ({ forged }) => {
      const memory = aggregateMemory(10)
      const count = { initial: 0, evolve: (before: number) => before + 1 }
      await loadAggregate(log.store, STREAM, count, { memory })
      await log.forge(STREAM, forged())
      await expect(posted()).rejects.toMatchObject(lock)
      await expect(loadAggregate(log.store, STREAM, count, { memory })).rejects.toMatchObject(lock)
      expect((await verifyLog(log.store)).firstBreak).toMatchObject({ stream: STREAM, revision: 2 })
      expect(await asideOf(2)).toEqual([])
      expect(await posted()).toBe(100)
      await goOn(credit(20))
      expect(await posted()).toBe(120)
      // The state remembered from before, and the state read from the beginning.
      expect((await loadAggregate(log.store, STREAM, count, { memory })).state).toBe(3)
      expect((await loadAggregate(log.store, STREAM, count)).state).toBe(3)
      await log.seal()
      await goOn(credit(1))
      const report = await verifyLog(log.store)
      expect(report).toMatchObject({
        firstBreak: null,
        seals: 1,
        unsealed: 1,
        setAside: {
          count: 1,
          first: [{ stream: STREAM, revision: 2, reason: 'a script wrote it' }],
        },
      })
      expect(formatVerifyReport(report, null, 0)).toMatch(
        /^The log is whole[^]*1 event of other clients of the event store, set aside by an operator:\n {2}account-1@2 \(position \d+\): a script wrote it$/u,
      )
    },
  )

  test('given several foreign events, when set aside in turn, then the account is locked until the last one', async () => {
    await log.forge(STREAM, strangeEvent())
    const { hash } = await headOf(1)
    await log.forge(STREAM, forgedEvent(STREAM, credit(999), hash))
    await expect(asideOf(3)).rejects.toThrow(
      "Event 2 of account-1 stands before it, and is not Tollgate's either: set that one aside first, with account-1@2.",
    )
    expect(await asideOf(2)).toEqual([3])
    await expect(posted()).rejects.toMatchObject(lock)
    expect((await verifyLog(log.store)).firstBreak).toMatchObject({ stream: STREAM, revision: 3 })
    expect(await asideOf(3)).toEqual([])
    await goOn(credit(20))
    expect(await posted()).toBe(120)
    expect(await verifyLog(log.store)).toMatchObject({ firstBreak: null, setAside: { count: 2 } })
    await log.forge(STREAM, strangeEvent())
    await expect(posted()).rejects.toMatchObject(lock)
  })

  test('given an event that locks nothing, when it is to be set aside, then it says why not and what to do', async () => {
    const before = await log.store.headPosition()
    await expect(asideOf(1)).rejects.toThrow(
      "Event 1 of account-1 is Tollgate's own, and cannot be set aside. account-1 is not locked",
    )
    await expect(asideOf(2)).rejects.toThrow(
      /ends at revision 1: no event stands at 2\. .*not locked/u,
    )
    await expect(asideOf(0, 'account-2')).rejects.toThrow('The event log has no stream account-2.')
    await expect(asideOf(0, 'orders-1')).rejects.toThrow(/orders-1 is no stream of Tollgate's/u)
    expect(await log.store.headPosition()).toBe(before)
    await log.forge(STREAM, strangeEvent())
    await expect(asideOf(1)).rejects.toThrow('The one to be set aside next is account-1@2.')
    await asideOf(2)
    await expect(asideOf(2)).rejects.toThrow(
      /^Event 2 of account-1 was set aside at 20.*Z \(a script wrote it\)\. account-1 is not locked/u,
    )
  })

  test('given a foreign stream and seals behind a foreign event, when set aside, then both go on', async () => {
    await log.forge('account-2', strangeEvent())
    await log.seal()
    await log.forge(SEALS_STREAM, strangeEvent())
    await asideOf(0, 'account-2')
    await asideOf(1, SEALS_STREAM)
    const { state, head } = await loadAccount(log.store, 'account-2')
    expect(state.status).toBe('unopened')
    expect(head.revision).toBe(1)
    await log.store.append('account-2', [newEvent(opened)], head)
    expect((await loadAccount(log.store, 'account-2')).head.revision).toBe(2)
    const { seal, head: end } = await lastSeal(log.store)
    expect(seal?.data.number).toBe(1)
    expect(end.revision).toBe(2)
    await log.seal()
    expect(await verifyLog(log.store)).toMatchObject({
      firstBreak: null,
      seals: 2,
      unsealed: 0,
      setAside: { count: 2 },
    })
  })

  test('given an event set aside, when the whole log is followed, then only what sets it aside comes', async () => {
    await log.forge(STREAM, strangeEvent())
    await asideOf(2)
    await goOn(credit(20))
    const types = (await log.store.readAll(-1, 'all', 100)).map(({ type }) => type)
    expect(types).toEqual(['AccountOpened', 'QuotaCredited', SET_ASIDE, 'QuotaCredited'])
  })

  /** A seal over all that is stored, as a version made it that took readable events of others for Tollgate's. */
  async function sealAsBefore(change: Partial<LedgerSealed['data']> = {}): Promise<void> {
    const range = openSealedRange()
    let upTo = LOG_START
    for (const { stream, revision, position, metadataText } of await log.store.readStoredLog(
      LOG_START,
      100,
    )) {
      const { hash = '' } = hashesIn(metadataText) ?? {}
      range.add({ stream, revision, hash })
      upTo = position
    }
    const fixed = { at: 3, number: 1, after: LOG_START, upTo, previous: null }
    const data = { ...fixed, ...range.figures(), ...change }
    await log.append(SEALS_STREAM, { type: 'LedgerSealed', data })
  }

  test('given a forged event sealed earlier, when set aside, then verify explains its seal, later ones hold', async () => {
    await log.forge(STREAM, forgedEvent(STREAM, credit(999)))
    await log.append('account-2', opened)
    await sealAsBefore()
    await log.append('account-3', opened)
    expect((await verifyLog(log.store)).firstBreak).toMatchObject({ stream: STREAM, revision: 2 })
    await asideOf(2)
    await log.seal()
    const report = await verifyLog(log.store)
    expect(report).toMatchObject({
      firstBreak: null,
      seals: 2,
      unsealed: 0,
      explainedSeals: [{ seal: 1, covers: [{ stream: STREAM, revision: 2 }] }],
    })
    const said = formatVerifyReport(report, null, 0)
    expect(said).toMatch(/^The log is whole, with 1 seal over events that were set aside later: /u)
    expect(said).toContain('these seals are as they were made:\n  seal 1: account-1@2')
  })

  test('given a seal over a changed forged event, when it is set aside, then the log is broken at the seal', async () => {
    await log.forge(STREAM, forgedEvent(STREAM, credit(999)))
    await sealAsBefore({ root: '0'.repeat(64) })
    await asideOf(2)
    expect((await verifyLog(log.store)).firstBreak).toMatchObject({ stream: SEALS_STREAM })
  })

  async function headOf(revision: number) {
    const only = { from: revision, limit: 1 }
    for await (const { metadata } of log.store.readStream(STREAM, only)) return metadata
    return EMPTY_STREAM
  }
})
