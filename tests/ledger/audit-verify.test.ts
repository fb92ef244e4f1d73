import { sealLedger } from '@tollgate/command-api/audit/seal-ledger.ts'
import { headOfSeal, lastSeal } from '@tollgate/command-api/audit/seals.ts'
import type { DomainEvent } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { SEALS_STREAM, type LedgerSealed } from '@tollgate/domain/seal/events.ts'
import { formatVerifyReport } from '@tollgate/infra/audit/format-verify-report.ts'
import { type LogBreak, verifyLog } from '@tollgate/infra/audit/verify-log.ts'
import { systemClock, systemRandomness } from '@tollgate/infra/processes/runtime.ts'
import { afterEach, describe, expect, test } from 'vitest'
import {
  type AuditedLog,
  eventStoreDbAuditedLog,
  type PostgresAuditedLog,
  postgresAuditedLog,
} from '../support/histories/audited-log.ts'

const credit = (amount: number): DomainEvent =>
  ({ type: 'QuotaCredited', data: { at: 1, amount, source: 'grant', reason: '' } }) as DomainEvent

/** Seal 1 covers three streams, seal 2 two of them; two events are not sealed. */
async function write(log: AuditedLog): Promise<void> {
  await log.append('account-1', credit(101), credit(102))
  await log.append('account-2', credit(201))
  await log.append('settings', credit(1))
  await log.seal()
  await log.append('account-1', credit(103))
  await log.append('account-2', credit(202), credit(203))
  await log.seal()
  await log.append('account-1', credit(104), credit(105))
}

async function firstBreak(log: AuditedLog): Promise<LogBreak | null> {
  return (await verifyLog(log.store)).firstBreak
}

describe.each([
  { engine: 'PostgreSQL', open: postgresAuditedLog },
  { engine: 'EventStoreDB (protocol double)', open: eventStoreDbAuditedLog },
])('verifying a log in $engine', ({ open }) => {
  let log: AuditedLog
  afterEach(() => log.close())

  test('given a sealed log, when verified, then it is whole and everything is counted', async () => {
    log = await open()
    await write(log)
    const progress: number[] = []
    const report = await verifyLog(log.store, { onProgress: ({ events }) => progress.push(events) })
    expect(report).toEqual({
      events: 11,
      streams: 4,
      seals: 2,
      unsealed: 2,
      newestSeal: {
        number: 2,
        upTo: expect.any(Number) as number,
        at: expect.any(Number) as number,
      },
      position: await log.store.headPosition(),
      isAnchored: null,
      firstBreak: null,
      bookedTwice: { count: 0, first: [] },
      setAside: { count: 0, first: [] },
      cutStreams: [],
      explainedSeals: [],
      foreignStreams: [],
    })
    expect(progress.at(-1)).toBe(11)
  })

  test('given a credit twice from one cause, when verified, then it is named and the log is whole', async () => {
    log = await open()
    await log.append('account-1', credit(101))
    await log.appendCaused('account-1', 'code-1', credit(5))
    await log.appendCaused('account-2', 'code-1', credit(5))
    await log.appendCaused('account-1', 'code-2', credit(5))
    await log.appendCaused('account-1', 'code-1', { type: 'AccountSuspended', data: { at: 2 } })
    await log.appendCaused('account-1', 'code-1', credit(5))
    const report = await verifyLog(log.store)
    expect(report).toMatchObject({
      firstBreak: null,
      bookedTwice: {
        count: 1,
        first: [
          {
            stream: 'account-1',
            revision: 4,
            type: 'QuotaCredited',
            causationId: 'code-1',
            firstRevision: 1,
          },
        ],
      },
    })
    expect(formatVerifyReport(report, null, 0)).toContain(
      'QuotaCredited at account-1, revision 4: revision 1 has the same cause code-1',
    )
  })

  test('given an empty log, when verified and sealed, then it is whole and nothing was sealed', async () => {
    log = await open()
    expect(await log.seal()).toEqual({ made: 0, seal: null })
    expect(await verifyLog(log.store)).toMatchObject({ events: 0, seals: 0, firstBreak: null })
  })

  test.each([
    ['the first', 'account-1', 0, '101'],
    ['a later', 'account-2', 2, '203'],
    ['an unsealed', 'account-1', 4, '105'],
  ])(
    'given one byte of %s event changed, when verified, then that event is named with what is wrong',
    async (_, stream, revision, amount) => {
      log = await open()
      await write(log)
      const events = log.store.readStoredStream(stream)
      let original
      for await (const event of events) if (event.revision === revision) original = event
      await log.tamper(stream, revision, amount, `9${amount.slice(1)}`)
      expect(await firstBreak(log)).toEqual({
        position: original?.position,
        stream,
        revision,
        eventId: original?.id,
        type: 'QuotaCredited',
        expected: expect.stringMatching(/^bytes with the hash [0-9a-f]{64}$/),
        found: expect.stringMatching(/^bytes with the hash [0-9a-f]{64}$/),
      })
    },
  )

  test('given two who seal at once, when both have, then each seal stands once and the log is whole', async () => {
    log = await open()
    await log.append('account-1', credit(1))
    const outcomes = await Promise.all([log.seal(), log.seal(), log.seal()])
    expect(outcomes.reduce((sum, { made }) => sum + made, 0)).toBe(1)
    expect(await verifyLog(log.store)).toMatchObject({ seals: 1, unsealed: 0, firstBreak: null })
  })

  test('given nothing new since the last seal, when sealed again, then no seal is made', async () => {
    log = await open()
    await write(log)
    expect(await log.seal()).toMatchObject({ made: 1, seal: { data: { number: 3 } } })
    expect(await log.seal()).toMatchObject({ made: 0, seal: { data: { number: 3 } } })
  })

  test('given more streams than one seal covers, when sealed, then linked seals are verified', async () => {
    log = await open()
    for (let account = 1; account <= 7; account += 1) {
      await log.append(`account-${account}`, credit(account), credit(account))
    }
    expect(await log.seal(3)).toMatchObject({ made: 4, seal: { data: { number: 4 } } })
    expect(await verifyLog(log.store)).toMatchObject({ seals: 4, unsealed: 0, firstBreak: null })
  })

  test('given a log that grew after an export, when verified against its head, then it contains it', async () => {
    log = await open()
    await log.append('account-1', credit(1))
    const { seal } = await log.seal()
    if (seal === null) throw new Error('nothing was sealed')
    const anchor = headOfSeal(seal)
    const other = (stream: string): string => (stream === 'settings' ? 'user-1' : `${stream}0`)
    await write({ ...log, append: (stream, ...events) => log.append(other(stream), ...events) })
    const report = await verifyLog(log.store, { anchor })
    expect(report).toMatchObject({ isAnchored: true, seals: 3, firstBreak: null })
  })

  test.each<[string, Partial<LedgerSealed['data']>, string]>([
    ['root', { root: '0'.repeat(64) }, `root ${'0'.repeat(64)}`],
    ['order', { order: '1'.repeat(64) }, `order ${'1'.repeat(64)}`],
    ['number of streams', { streams: 9 }, 'streams 9'],
    ['number of events', { events: 9 }, 'events 9'],
    ['beginning', { after: 0 }, 'after 0'],
    ['end', { upTo: 1_000_000_000 }, 'upTo 1000000000'],
    ['number', { number: 7 }, 'number 7'],
    ['seal before', { previous: null }, 'previous.root none'],
  ])(
    'given a seal that is chained well and has a wrong %s, when verified, then that seal is named',
    async (_, wrong, found) => {
      log = await open()
      await write(log)
      const { seal, head } = await lastSeal(log.store)
      if (seal === null) throw new Error('nothing was sealed')
      // The next seal as it has to be, found out on the same log by sealing it in memory only.
      const data = await nextSeal(log)
      await log.store.append(
        SEALS_STREAM,
        [
          {
            id: crypto.randomUUID(),
            type: 'LedgerSealed',
            data: { ...data, ...wrong },
            metadata: {
              actor: 'system',
              correlationId: 'forged',
              causationId: null,
              schemaVersion: 1,
            },
          },
        ],
        head,
      )
      expect(await firstBreak(log)).toMatchObject({
        stream: SEALS_STREAM,
        revision: 2,
        type: 'LedgerSealed',
        expected: expect.stringMatching(/^seal 3/),
        found,
      })
    },
  )
})

/** The data of the next seal, without making it. */
async function nextSeal({ store }: AuditedLog): Promise<LedgerSealed['data']> {
  const asked = Promise.withResolvers<DomainEvent['data']>()
  const refused = new Error('not to be made')
  const append: EventStore['append'] = async (_, events) => {
    asked.resolve(events[0]?.data ?? { at: 0 })
    throw refused
  }
  const writer = { store: { ...store, append }, clock: systemClock, randomness: systemRandomness }
  const cause = { actor: 'system', correlationId: 'test', causationId: null } as const
  await expect(sealLedger(writer, cause)).rejects.toBe(refused)
  return (await asked.promise) as LedgerSealed['data']
}

describe('verifying a log in PostgreSQL that somebody meddled with', () => {
  let log: PostgresAuditedLog
  afterEach(() => log.close())

  /** Positions: 0-3 events, 4 seal, 5-7 events, 8 seal, 9-10 events. */
  test.each<[string, string, Partial<LogBreak>]>([
    [
      'an event deleted',
      `delete from ledger.events where position = 5`,
      {
        position: 6,
        stream: 'account-2',
        expected: 'an event at position 5',
        found: 'the next is at 6',
      },
    ],
    [
      'an event deleted and the positions closed up',
      `delete from ledger.events where position = 5;
       update ledger.events set position = -position where position > 5;
       update ledger.events set position = -position - 1 where position < 0;
       update ledger.head set position = position - 1`,
      { position: 7, stream: SEALS_STREAM, expected: expect.stringMatching(/^seal 2/) as never },
    ],
    [
      'the newest event deleted',
      `delete from ledger.events where position = 10`,
      {
        position: 10,
        stream: null,
        expected: 'an event at position 10, as the log goes on to 10',
        found: 'none',
      },
    ],
    [
      'an event put behind the end',
      `insert into ledger.events select 11, stream, revision + 1, gen_random_uuid(), type, recorded_at, data, metadata
       from ledger.events where position = 10`,
      { position: 11, stream: 'account-1', found: 'an event behind it' },
    ],
    [
      'two events of one stream swapped',
      `update ledger.events e set data = o.data, metadata = o.metadata, id = o.id from ledger.events o
       where e.position + o.position = 1 and e.position in (0, 1)`,
      {
        position: 0,
        stream: 'account-1',
        revision: 0,
        expected: expect.stringMatching(/^prevHash ''$/) as never,
      },
    ],
    [
      'two events of different streams swapped in the log',
      `update ledger.events set position = -1 where position = 5;
       update ledger.events set position = 5 where position = 6;
       update ledger.events set position = 6 where position = -1`,
      {
        position: 8,
        stream: SEALS_STREAM,
        expected: expect.stringMatching(/^seal 2: order/) as never,
      },
    ],
    [
      'a whole stream deleted with its positions closed up',
      `delete from ledger.events where stream = 'settings';
       update ledger.events set position = -position where position > 3;
       update ledger.events set position = -position - 1 where position < 0;
       update ledger.head set position = position - 1`,
      { position: 3, stream: SEALS_STREAM, expected: expect.stringMatching(/^seal 1/) as never },
    ],
    [
      'a seal deleted and the positions closed up',
      `delete from ledger.events where position = 4;
       update ledger.events set position = -position where position > 4;
       update ledger.events set position = -position - 1 where position < 0;
       update ledger.head set position = position - 1`,
      {
        position: 7,
        stream: SEALS_STREAM,
        revision: 1,
        expected: 'revision 0',
        found: 'revision 1',
      },
    ],
    [
      'another type',
      `update ledger.events set type = 'QuotaDebited' where position = 2`,
      { position: 2, expected: 'type QuotaCredited', found: 'type QuotaDebited' },
    ],
    [
      'metadata that is no JSON',
      `update ledger.events set metadata = 'x' where position = 2`,
      { position: 2, found: 'x' },
    ],
    [
      'another hash in its column',
      `update ledger.events set hash = decode(repeat('ab', 32), 'hex') where position = 2`,
      {
        position: 2,
        expected: expect.stringMatching(
          /^hash [0-9a-f]{64} and chain_version 2 in its columns$/,
        ) as never,
        found: `hash ${'ab'.repeat(32)} and chain_version 2 in its columns`,
      },
    ],
    [
      'another chain version in its column',
      `update ledger.events set chain_version = 1 where position = 6`,
      {
        position: 6,
        found: expect.stringMatching(/ and chain_version 1 in its columns$/) as never,
      },
    ],
    [
      'no chain version in its column',
      `update ledger.events set chain_version = null where position = 6`,
      {
        position: 6,
        found: expect.stringMatching(/ and chain_version null in its columns$/) as never,
      },
    ],
    [
      'no hash in a column behind one that has it',
      `update ledger.events set hash = null, chain_version = null where position = 5`,
      { position: 5, found: 'hash null and chain_version null in its columns' },
    ],
    [
      'no hash in the column of a stream’s only event',
      `update ledger.events set hash = null where stream = 'settings'`,
      { position: 3, stream: 'settings', found: 'hash null and chain_version 2 in its columns' },
    ],
  ])('given %s, when verified, then the first break is named', async (_, sql, expected) => {
    log = await postgresAuditedLog()
    await write(log)
    await log.meddle(sql)
    expect(await firstBreak(log)).toMatchObject(expected)
  })

  test('given a log rewritten with new hashes, when verified against the exported head, then it shows', async () => {
    log = await postgresAuditedLog()
    await write(log)
    const { seal } = await lastSeal(log.store)
    if (seal === null) throw new Error('nothing was sealed')
    const anchor = headOfSeal(seal)
    const forged = await postgresAuditedLog()
    try {
      await forged.append('account-1', credit(999_999), credit(102))
      await forged.append('account-2', credit(201))
      await forged.append('settings', credit(1))
      await forged.seal()
      await forged.append('account-1', credit(103))
      await forged.append('account-2', credit(202), credit(203))
      await forged.seal()
      expect(await firstBreak(forged)).toBeNull()
      expect(await verifyLog(forged.store, { anchor })).toMatchObject({
        isAnchored: false,
        firstBreak: { position: 8, expected: `the exported head of seal 2: root ${anchor.root}` },
      })
    } finally {
      await forged.close()
    }
  })

  test('given a log shorter than an exported head, when verified, then the seal is missed', async () => {
    log = await postgresAuditedLog()
    await log.append('account-1', credit(1))
    const anchor = { position: 7, seal: 2, root: 'a'.repeat(64), hash: 'b'.repeat(64), at: '' }
    expect(await verifyLog(log.store, { anchor })).toMatchObject({
      isAnchored: false,
      firstBreak: { position: 7, stream: null, found: '0 seals' },
    })
  })
})

test('given another client’s stream in EventStoreDB, when verified, then it is listed and passed over', async () => {
  const log = await eventStoreDbAuditedLog()
  try {
    const record = {
      id: crypto.randomUUID(),
      type: 'OrderPlaced',
      contentType: 'application/json',
      data: Buffer.from('{}'),
      metadata: Buffer.from(''),
    }
    log.log.append('orders-1', 'any', [record])
    await write(log)
    const report = await verifyLog(log.store)
    expect(report).toMatchObject({
      firstBreak: null,
      seals: 2,
      streams: 4,
      foreignStreams: ['orders-1'],
    })
    expect(formatVerifyReport(report, null, 0)).toContain("they are not Tollgate's: orders-1")
  } finally {
    await log.close()
  }
})

test('given streams cut by another client, when verified, then those cut now are named', async () => {
  const log = await eventStoreDbAuditedLog()
  try {
    await write(log)
    expect((await verifyLog(log.store)).cutStreams).toEqual([])
    log.log.setMetadata('account-1', { $maxCount: 1 })
    log.log.setMetadata('settings', { $tb: 1 })
    log.log.setMetadata('settings', { $acl: { $r: 'tollgate' } })
    log.log.setMetadata('somebody-elses', { $maxCount: 1 })
    log.log.tombstone('account-2')
    const report = await verifyLog(log.store)
    expect(report.cutStreams).toEqual([
      { stream: 'account-1', how: '{"$maxCount":1}', position: expect.any(Number) },
      { stream: 'account-2', how: 'deleted for good', position: expect.any(Number) },
    ])
    expect(formatVerifyReport(report, null, 0)).toContain('2 streams cut by another client')
  } finally {
    await log.close()
  }
})
