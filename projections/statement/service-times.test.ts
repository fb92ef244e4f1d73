import { text } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import type { AccountEvent, UsageCharged } from '@tollgate/domain/account/events.ts'
import { accountStream } from '@tollgate/domain/event.ts'
import { channelId, holdId, requestId, tokenId, userId } from '@tollgate/domain/ids.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { exampleUsage } from '@tollgate/tests/support/example-usage.ts'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { journal } from '../journal/projector.ts'
import { csvLines } from './export/line-files.ts'
import { tellLines } from './line-entity.ts'
import { readLines, type WantedLines } from './lines.ts'
import { ANYTHING } from './sums.ts'

const BOOKED = Date.UTC(2026, 10, 3, 12)
const DAY_MS = 86_400_000
const names = {
  users: async () => new Map<never, string>(),
  tokens: async () => new Map<never, string>(),
  notes: async () => new Map<never, string>(),
}
const WANTED: Omit<WantedLines, 'after' | 'limit'> = {
  userId: 7,
  period: { from: BOOKED - DAY_MS, to: BOOKED + DAY_MS },
  zone: 'UTC',
  group: 'none',
  filter: ANYTHING,
  withHolds: false,
}

let log: ProjectionLog

const charged = (
  id: string,
  at: number,
  { late = false, endedAt = at }: { readonly late?: boolean; readonly endedAt?: number } = {},
): UsageCharged => ({
  type: 'UsageCharged',
  data: {
    at,
    hold: holdId(userId(7), 1, null),
    sequence: 1,
    token: tokenId(70),
    amount: quota(5),
    fromHold: quota(0),
    fromWallet: quota(5),
    late,
    request: exampleUsage(id),
    endedAt,
  },
})
const refunded = (id: string, at: number): AccountEvent => ({
  type: 'UsageRefunded',
  data: {
    at,
    amount: quota(5),
    request: requestId(id),
    token: tokenId(70),
    channel: channelId(1),
    reason: '',
  },
})

beforeAll(async () => {
  log = await openProjectionLog()
  await log.append(
    accountStream(7),
    charged('old', BOOKED - 9 * DAY_MS),
    charged('in-time', BOOKED, { endedAt: BOOKED - 1 }),
    charged('late', BOOKED + 1, { late: true, endedAt: BOOKED - 3 * DAY_MS }),
    refunded('old', BOOKED + 2),
    refunded('late', BOOKED + 3),
    refunded('unknown', BOOKED + 4),
  )
  await log.project([journal])
})
afterAll(() => log.close())

test('given late charges and refunds, when told, then each says when its service was', async () => {
  const source = { reads: log.reads, store: log.store }
  const { lines } = await readLines(log.reads, { ...WANTED, after: null, limit: 10 })
  const told = await tellLines(names, source, lines, true)
  expect(
    told.map((line) => line.type === 'event' && [line.reference, line.facts.service_at]),
  ).toEqual([
    ['in-time', null],
    ['late', BOOKED - 3 * DAY_MS],
    ['old', BOOKED - 9 * DAY_MS],
    ['late', BOOKED - 3 * DAY_MS],
    ['unknown', null],
  ])
})

test('given late charges, when written as CSV, then a column has when their service was', async () => {
  const reader = { reads: log.reads, store: log.store, names, isAdministrator: true }
  const pieces = await Array.fromAsync(csvLines(reader, WANTED), ({ text: piece }) => piece)
  const csv = await text(Readable.from(pieces))
  const [header = '', ...rows] = csv.trim().split(/\r?\n/u)
  const column = header.split(',').indexOf('service_at')
  expect(rows.map((row) => row.split(',')[column])).toEqual([
    '',
    '2026-10-31T12:00:00.000Z',
    '2026-10-25T12:00:00.000Z',
    '2026-10-31T12:00:00.000Z',
    '',
  ])
})
