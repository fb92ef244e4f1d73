import { describe, expect, test } from 'vitest'
import type { DomainEvent, NewEvent } from '@tollgate/domain/event.ts'
import { schemaVersionOf } from '@tollgate/domain/schema-versions.ts'
import { EMPTY_STREAM } from '@tollgate/domain/ports/event-store.ts'
import { chainEvents, verifyEvent, verifyStream, type ChainedAppend } from './chain.ts'
import { APPEND_BYTES_MAX, InvalidAppend } from './invalid-append.ts'
import { decodeEvent, type StoredEvent } from './stored-event.ts'
import { UPCASTERS } from './upcasters.ts'

const STREAM = 'account-7'

function newEvent(changes: Partial<NewEvent> = {}): NewEvent {
  return {
    id: crypto.randomUUID(),
    type: 'QuotaCredited',
    data: {
      at: 1,
      amount: 500_000,
      source: 'top-up',
      reason: '充值 "x" \u0000 \ud800',
    } as DomainEvent['data'],
    metadata: {
      actor: 'user:1',
      correlationId: 'r1',
      causationId: null,
      schemaVersion: schemaVersionOf('QuotaCredited'),
    },
    ...changes,
  }
}

const dataOf = (value: unknown): DomainEvent['data'] => value as DomainEvent['data']

const storedOf = (append: ChainedAppend): StoredEvent[] =>
  append.events.map((event) => ({
    ...event,
    stream: append.stream,
    position: event.revision,
    recordedAt: 5,
  }))

describe('chaining', () => {
  test('given events appended in two steps, when verified, then the chain is whole and the data reads back', async () => {
    const first = chainEvents(STREAM, [newEvent(), newEvent()], EMPTY_STREAM)
    const second = chainEvents(STREAM, [newEvent()], first.head)
    const stored = [...storedOf(first), ...storedOf(second)]

    expect(second.head.revision).toBe(2)
    expect(await verifyStream(stored)).toEqual({ events: 3, head: second.head, firstBreak: null })
    const decoded = stored.map((event) => decodeEvent(event, UPCASTERS))
    expect(decoded.map((event) => event.data)).toEqual([
      newEvent().data,
      newEvent().data,
      newEvent().data,
    ])
    expect(decoded[2]?.metadata).toEqual({
      ...newEvent().metadata,
      prevHash: first.head.hash,
      hash: second.head.hash,
    })
  })

  test('given an event that names its command, when stored, then it is read with it and hashed with it', async () => {
    const metadata = { ...newEvent().metadata, commandId: 'command "1"' }
    const chained = chainEvents(STREAM, [newEvent({ metadata })], EMPTY_STREAM)
    const [stored] = storedOf(chained)
    if (stored === undefined) throw new Error('one event was chained')
    expect(decodeEvent(stored, UPCASTERS).metadata).toEqual({
      ...metadata,
      prevHash: '',
      hash: chained.head.hash,
    })
    const renamed = stored.metadataText.replace('command', 'another')
    const { firstBreak } = await verifyStream([{ ...stored, metadataText: renamed }])
    expect(firstBreak).toMatchObject({ reason: 'content' })
  })

  test('given the same events and end, when chained again, then the bytes are the same', () => {
    const events = [newEvent(), newEvent()]
    expect(chainEvents(STREAM, events, EMPTY_STREAM)).toEqual(
      chainEvents(STREAM, events, EMPTY_STREAM),
    )
  })

  test('given metadata text, when parsed and written again, then it is byte for byte the same', () => {
    for (const event of chainEvents(STREAM, [newEvent()], EMPTY_STREAM).events) {
      expect(JSON.stringify(JSON.parse(event.metadataText))).toBe(event.metadataText)
      expect(JSON.stringify(JSON.parse(event.dataText))).toBe(event.dataText)
      expect(event.metadataText).toMatch(/"prevHash":"","hash":"[0-9a-f]{64}"\}$/)
    }
  })
})

describe('verifying', () => {
  const whole = storedOf(chainEvents(STREAM, [newEvent(), newEvent(), newEvent()], EMPTY_STREAM))
  const tampered = (
    at: number,
    change: (event: StoredEvent) => Partial<StoredEvent>,
  ): StoredEvent[] =>
    whole.map((event, index) => (index === at ? { ...event, ...change(event) } : event))

  test.each<[string, StoredEvent[], string, number]>([
    [
      'another amount',
      tampered(1, (e) => ({ dataText: e.dataText.replace('500000', '900000') })),
      'content',
      1,
    ],
    [
      'another actor',
      tampered(1, (e) => ({ metadataText: e.metadataText.replace('user:1', 'user:2') })),
      'content',
      1,
    ],
    ['another type', tampered(1, () => ({ type: 'QuotaDebited' })), 'identity', 1],
    ['another id', tampered(2, () => ({ id: crypto.randomUUID() })), 'identity', 2],
    ['another stream', tampered(0, () => ({ stream: 'account-8' })), 'identity', 0],
    ['no metadata', tampered(1, () => ({ metadataText: '{}' })), 'no-hash', 1],
    ['garbage', tampered(1, (e) => ({ metadataText: e.metadataText.slice(1) })), 'no-hash', 1],
    ['a missing event', whole.filter((event) => event.revision !== 1), 'revision-gap', 2],
    [
      'a missing event, renumbered',
      whole
        .filter((event) => event.revision !== 1)
        .map((event, revision) => ({ ...event, revision })),
      'previous-hash',
      1,
    ],
  ])(
    'given %s, when verified, then the first break is reported',
    async (_, events, reason, revision) => {
      const report = await verifyStream(events)
      expect(report.firstBreak).toMatchObject({
        stream: events[revision === 0 ? 0 : 1]?.stream,
        reason,
        revision,
      })
      expect(report.events).toBeLessThan(3)
    },
  )

  test('given an event after another end than its own, when verified alone, then it does not fit', () => {
    const [first] = whole
    expect(first && verifyEvent(first, { revision: -1, hash: 'f'.repeat(64) })).toMatchObject({
      reason: 'previous-hash',
    })
  })
})

describe('refusing what no store may keep', () => {
  const cycle: Record<string, unknown> = {}
  cycle['self'] = cycle

  test.each<[string, Partial<NewEvent>, RegExp]>([
    ['a bigint', { data: dataOf({ at: 1, amount: 5n }) }, /data\.amount .* bigint/],
    [
      'undefined',
      { data: dataOf({ at: 1, list: [{ x: undefined }] }) },
      /data\.list\.0\.x .* undefined/,
    ],
    ['NaN', { data: dataOf({ at: Number.NaN }) }, /data\.at .* NaN/],
    ['Infinity', { data: dataOf({ at: Infinity }) }, /data\.at .* Infinity/],
    ['a Date', { data: dataOf({ at: new Date() }) }, /data\.at .* not plain/],
    ['a function', { data: dataOf({ at: 1, f: () => 1 }) }, /data\.f .* function/],
    ['a cycle', { data: dataOf(cycle) }, /too deep/],
    ['no UUID', { id: 'not-a-uuid' }, /lower-case UUID/],
    ['an upper-case UUID', { id: crypto.randomUUID().toUpperCase() }, /lower-case UUID/],
    ['a system type', { type: '$>' }, /event type/],
    ['an empty type', { type: '' }, /event type/],
    [
      'schema version 0',
      { metadata: { ...newEvent().metadata, schemaVersion: 0 } },
      /schema version/,
    ],
    [
      'more than 1 MiB',
      { data: dataOf({ at: 1, text: 'x'.repeat(APPEND_BYTES_MAX) }) },
      /split it/,
    ],
  ])('given %s, when chained, then it is refused', (_, changes, message) => {
    expect(() => chainEvents(STREAM, [newEvent(changes)], EMPTY_STREAM)).toThrow(InvalidAppend)
    expect(() => chainEvents(STREAM, [newEvent(changes)], EMPTY_STREAM)).toThrow(message)
  })

  test('given no events, a system stream, a wrong end or an id twice, when chained, then it is refused', () => {
    const event = newEvent()
    expect(() => chainEvents(STREAM, [], EMPTY_STREAM)).toThrow(/nothing to append/)
    expect(() => chainEvents('$all', [event], EMPTY_STREAM)).toThrow(/stream name/)
    expect(() => chainEvents(STREAM, [event], { revision: 0, hash: '' })).toThrow(/expected hash/)
    expect(() => chainEvents(STREAM, [event], { revision: -2, hash: '' })).toThrow(
      /expected revision/,
    )
    expect(() => chainEvents(STREAM, [event, event], EMPTY_STREAM)).toThrow(/twice/)
  })
})
