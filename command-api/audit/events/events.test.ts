import { expect, test } from 'vitest'
import { causesOf } from './causes.ts'
import { type EventLog, noteIdOf, type StoredText } from './event-log.ts'
import { searchEvents } from './search-events.ts'

interface Given {
  readonly stream?: string
  readonly type?: string
  readonly correlationId?: string
  readonly causationId?: string | null
  readonly data?: object
}

/** A log of these events, at positions 0, 1, 2, …; the id of the event at position 3 is `e3`. */
function logOf(given: readonly Given[]): EventLog & { readonly events: readonly StoredText[] } {
  const revisions = new Map<string, number>()
  const events = given.map((event, position): StoredText => {
    const stream = event.stream ?? 'account-1'
    const revision = revisions.get(stream) ?? 0
    revisions.set(stream, revision + 1)
    return {
      stream,
      revision,
      position,
      id: `e${position}`,
      type: event.type ?? 'QuotaHeld',
      recordedAt: position,
      dataText: JSON.stringify({ at: position, ...event.data }),
      metadataText: JSON.stringify({
        actor: `user:${position % 2}`,
        correlationId: event.correlationId ?? `c${position}`,
        causationId: event.causationId ?? null,
      }),
    }
  })
  return {
    events,
    readStoredLog: async (after, limit) =>
      events.filter(({ position }) => position > after).slice(0, limit),
    readStoredLogBackwards: async (before, limit) =>
      events
        .filter(({ position }) => before === null || position < before)
        .toReversed()
        .slice(0, limit),
    readStoredAt: async (position) => events[position] ?? null,
    async *readStoredStream(stream, { from, direction } = {}) {
      const own = events.filter((event) => event.stream === stream)
      yield* direction === 'backwards'
        ? own.filter(({ revision }) => revision <= (from ?? Infinity)).toReversed()
        : own.filter(({ revision }) => revision >= (from ?? 0))
    },
  }
}

const positions = (events: readonly { readonly position: number }[]): readonly number[] =>
  events.map(({ position }) => position)

/** All pages one after another. */
async function readAll(
  log: EventLog,
  filter: object,
  way: 'up' | 'down',
): Promise<readonly number[]> {
  const found: number[] = []
  for (let next: number | null = way === 'up' ? -1 : null, isFirst = true; ; isFirst = false) {
    if (next === null && !isFirst) return found
    const place = way === 'up' ? { after: next ?? -1 } : { before: next }
    const page = await searchEvents(log, filter, place, 2)
    found.push(...positions(page.events))
    next = page.next
  }
}

test('given a log, when read page by page either way, then every event that fits comes once', async () => {
  const log = logOf(
    Array.from({ length: 11 }, (_, n) => ({
      stream: n % 3 === 0 ? 'settings' : 'account-1',
      type: n % 4 === 0 ? 'Rare' : 'Usual',
    })),
  )
  const cases = [
    [{}, () => true],
    [{ stream: 'settings' }, (n: number) => n % 3 === 0],
    [{ type: 'Rare' }, (n: number) => n % 4 === 0],
    [{ stream: 'account-1', actor: 'user:1' }, (n: number) => n % 3 !== 0 && n % 2 === 1],
    [{ from: 3, to: 7 }, (n: number) => n >= 3 && n < 7],
    [{ correlationId: 'c5' }, (n: number) => n === 5],
  ] as const
  for (const [filter, fits] of cases) {
    const expected = positions(log.events).filter(fits)
    expect(await readAll(log, filter, 'up')).toEqual(expected)
    expect(await readAll(log, filter, 'down')).toEqual(expected.toReversed())
  }
})

test('given nothing that fits in a long log, when searched, then the call ends and says where to go on', async () => {
  const log = logOf(Array.from({ length: 20_050 }, () => ({})))
  const page = await searchEvents(log, { type: 'Rare' }, { before: null }, 10)
  expect(page).toEqual({ events: [], next: 50, searched: 20_000 })
})

test('given events across streams, when one is asked for, then all that hang together come as a tree', async () => {
  const log = logOf([
    {},
    { stream: 'redemption-4', type: 'CodeRedeemed', correlationId: 'r-77' },
    { type: 'QuotaCredited', correlationId: 'r-77', causationId: 'e1' },
    { correlationId: 'sweeper' },
    { type: 'UsageCharged', data: { request: { id: 'q-1' } } },
    { correlationId: 'sweeper' },
    { stream: 'task-9', type: 'TaskFailed' },
    { type: 'UsageRefunded', data: { request: 'q-1' }, causationId: 'e6' },
    { type: 'UsageRefunded', data: { request: 'q-1' } },
  ])
  const tree = async (position: number) => {
    const event = log.events[position]
    if (event === undefined) throw new Error('no such event')
    const { events } = await causesOf(log, event, async () => [])
    return events.map((one) => [one.position, one.parent])
  }
  expect(await tree(2)).toEqual([
    [1, null],
    [2, 1],
  ])
  expect(await tree(3)).toEqual([[3, null]])
  expect(await tree(4)).toEqual([
    [4, null],
    [6, null],
    [7, 6],
    [8, 4],
  ])
})

test('given a refund long after its charge, when asked for, then the charge is found by the request', async () => {
  const log = logOf([
    { type: 'UsageCharged', data: { request: { id: 'q-1' } } },
    ...Array.from({ length: 6_000 }, () => ({})),
    { type: 'UsageRefunded', data: { request: 'q-1' } },
  ])
  const refund = log.events.at(-1)
  if (refund === undefined) throw new Error('the log is empty')
  const { events, from, to } = await causesOf(log, refund, async () => [0, 6_001])
  expect(events.map((one) => [one.position, one.parent])).toEqual([
    [0, null],
    [6_001, 0],
  ])
  expect([from, to]).toEqual([1_001, 6_001])
})

test('given an order paid long after it was made, when one of its events is opened, then all are a tree', async () => {
  const meanwhile = Array.from({ length: 6_000 }, () => ({}))
  const log = logOf([
    { stream: 'topup-T1', type: 'TopUpRequested' },
    { stream: 'topup-T2', type: 'TopUpRequested' },
    ...meanwhile,
    { stream: 'topup-T1', type: 'TopUpPaid' },
    {},
    { type: 'QuotaCredited', causationId: 'e6002' },
    ...meanwhile,
  ])
  for (const position of [0, 6_002, 6_004]) {
    const event = log.events[position]
    if (event === undefined) throw new Error('no such event')
    const { events, isCut } = await causesOf(log, event, async () => [])
    expect(events.map((one) => [one.position, one.parent])).toEqual([
      [0, null],
      [6_002, null],
      [6_004, 6_002],
    ])
    expect(isCut).toBe(false)
  }
})

test('given a task that failed long after its charge, when asked for, then charge and refund are found', async () => {
  const log = logOf([
    { stream: 'task-9', type: 'TaskSubmitted' },
    { type: 'UsageCharged', data: { request: { id: 'q-1' } } },
    ...Array.from({ length: 6_000 }, () => ({})),
    { stream: 'task-9', type: 'TaskFailed' },
    { type: 'UsageRefunded', data: { request: 'q-1' }, causationId: 'e6002' },
  ])
  const end = log.events[6_002]
  if (end === undefined) throw new Error('no such event')
  const { events } = await causesOf(log, end, async (request) =>
    request === 'q-1' ? [1, 6_003] : [],
  )
  expect(events.map((one) => [one.position, one.parent])).toEqual([
    [0, null],
    [1, null],
    [6_002, null],
    [6_003, 6_002],
  ])
})

test.each([
  ['{"adjustment":{"from":1,"to":2,"reasonCode":"balance_edited","note":"n1"}}', 'n1'],
  ['{"adjustment":{"from":1,"to":2,"reasonCode":"balance_edited","note":null}}', null],
  ['{"adjustment":{"legacyText":"管理员增加用户额度"}}', null],
  ['{"amount":5}', null],
  ['no JSON', null],
])('given the data %s, when its note is looked for, then it is %j', (dataText, note) => {
  expect(noteIdOf({ dataText })).toBe(note)
})
