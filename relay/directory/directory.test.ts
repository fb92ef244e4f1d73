import type { ChannelTerms } from '@tollgate/domain/channel/events.ts'
import type { RecordedEvent } from '@tollgate/domain/event.ts'
import { channelId } from '@tollgate/domain/ids.ts'
import type { EventStore, SubscriptionBatch } from '@tollgate/domain/ports/event-store.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '@tollgate/tests/support/relay/relay-under-test.ts'
import { FollowingDirectory } from './directory.ts'
import { snapshotFromLog } from '@tollgate/tests/support/relay/snapshot-under-test.ts'
import type { ChannelSecrets, DirectorySource } from './source.ts'

const TERMS: ChannelTerms = {
  type: 1,
  openaiOrganization: '',
  testModel: '',
  baseUrl: 'http://127.0.0.1:9/',
  other: '',
  models: ['m'],
  groups: ['default'],
  modelMapping: '{"m":"n"}',
  statusCodeMapping: '{"400":"500","x":"y"}',
  paramOverride: '{"stream":false,"top_k":3}',
  setting: 'not json',
  priority: 0,
  weight: 0,
  autoBan: true,
  tag: '',
  maxInputTokens: 0,
}

/** A log in memory that wakes its followers. */
class MemoryLog implements Pick<EventStore, 'subscribeAll' | 'readAll' | 'headPosition'> {
  readonly events: RecordedEvent[] = []
  #wake: (() => void)[] = []

  record(stream: string, type: string, data: object): number {
    const position = this.events.length
    const at = position
    this.events.push({
      id: String(position),
      stream,
      type,
      data: { at, ...data },
      position,
      revision: 0,
      recordedAt: at,
      metadata: {
        actor: 'system',
        correlationId: '',
        causationId: null,
        schemaVersion: 1,
        prevHash: '',
        hash: '',
      },
    })
    for (const wake of this.#wake.splice(0)) wake()
    return position
  }

  async headPosition(): Promise<number> {
    return this.events.length - 1
  }

  async readAll(after: number): Promise<readonly RecordedEvent[]> {
    return this.events.filter(
      ({ position, stream }) => position > after && /^(channel-|settings)/.test(stream),
    )
  }

  async *subscribeAll(
    after: number,
    _filter: unknown,
    signal: AbortSignal,
  ): AsyncGenerator<SubscriptionBatch> {
    let next = after + 1
    while (!signal.aborted) {
      const events = this.events.slice(next)
      next = this.events.length
      yield { events, position: next - 1, caughtUp: true }
      if (next < this.events.length) continue
      await new Promise<void>((resolve) => {
        this.#wake.push(resolve)
        signal.addEventListener('abort', () => resolve())
      })
    }
  }
}

/** The relay's wall clock. */
let nowMs = 1_000
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

async function start(
  log: MemoryLog,
  more: Partial<DirectorySource> = {},
  warnings: object[] = [],
): Promise<FollowingDirectory> {
  const source: DirectorySource = {
    loadSnapshot: () => snapshotFromLog(log),
    channelSecrets: async (ids) =>
      new Map(ids.map((id) => [id, { key: `key-${id}`, proxy: '', destination: null }])),
    findToken: async () => ({ status: 'absent' }),
    ...more,
  }
  const directory = new FollowingDirectory({
    store: log,
    source,
    clock: { now: () => nowMs, monotonicMs: () => performance.now() },
    randomness: { fraction: () => 0 },
    log: { warn: (fields) => void warnings.push(fields), error: () => undefined },
  })
  await directory.start()
  stops.push(() => directory.stop())
  return directory
}

const WHY = { reason: 'no', upstreamStatus: 401, bodyExcerpt: '' }
const ask = {
  group: 'default',
  model: 'm',
  operation: 'chat' as const,
  failed: new Set<never>(),
  attempt: 0,
}

test('given a log with channels and options, when started, then they are known with secrets and texts', async () => {
  const log = new MemoryLog()
  log.record('channel-4', 'ChannelAdded', TERMS)
  log.record('settings', 'OptionChanged', { key: 'RetryTimes', value: '3', previous: null })
  const pricing = log.record('settings', 'OptionChanged', {
    key: 'GroupRatio',
    value: '{"default":2}',
    previous: null,
  })
  log.record('channel-5', 'ChannelAdded', TERMS)
  log.record('channel-5', 'ChannelDeleted', {})
  const directory = await start(log)
  expect(directory.settings.retryTimes).toBe(3)
  expect(directory.settings.priceBook.revision).toBe(pricing)
  const channel = directory.choose(ask)
  expect(channel).toMatchObject({
    id: 4,
    key: 'key-4',
    baseUrl: 'http://127.0.0.1:9',
    paramOverride: { top_k: 3 },
  })
  expect(channel?.modelMapping.get('m')).toBe('n')
  expect([...(channel?.statusCodeMapping ?? [])]).toEqual([[400, 500]])
  expect(directory.channel(5)).toBeNull()
  expect(directory.modelsOf('default')).toEqual(['m'])
})

test('given a running directory, when a channel is switched, then the next choice follows the event', async () => {
  const log = new MemoryLog()
  log.record('channel-4', 'ChannelAdded', TERMS)
  const directory = await start(log)
  log.record('channel-4', 'ChannelDisabled', { reason: '' })
  await eventually(() => directory.choose(ask) === null)
  expect(directory.channel(4)?.isEnabled).toBe(false)
  log.record('channel-4', 'ChannelAutoEnabled', { reason: '' })
  await eventually(() => directory.choose(ask)?.id === 4)
  log.record('channel-4', 'ChannelDeleted', {})
  await eventually(() => directory.channel(4) === null)
})

test('given types that serve less, when a channel is chosen, then it serves the operation', async () => {
  const log = new MemoryLog()
  const [chatOnly, notBuilt, everything] = [27, 15, 1]
  log.record('channel-4', 'ChannelAdded', { ...TERMS, type: chatOnly, priority: 9 })
  log.record('channel-5', 'ChannelAdded', { ...TERMS, type: notBuilt, priority: 8 })
  const directory = await start(log)
  const embeddings = { ...ask, operation: 'embeddings' as const }
  expect(directory.choose(ask)?.id).toBe(4)
  expect(directory.choose(embeddings)).toBeNull()
  expect(directory.isListed('m')).toBe(true)
  log.record('channel-6', 'ChannelAdded', { ...TERMS, type: everything })
  await eventually(() => directory.choose(embeddings)?.id === 6)
  log.record('channel-4', 'ChannelDeleted', {})
  await eventually(() => directory.choose(ask)?.id === 6)
  log.record('channel-6', 'ChannelDisabled', { reason: '' })
  log.record('channel-5', 'ChannelAutoDisabled', WHY)
  log.record('channel-5', 'ChannelHalfOpened', { reason: '' })
  await eventually(() => directory.choose(ask) === null)
  expect([directory.mayTry(ask), directory.beginTrial(embeddings)]).toEqual([false, null])
})

test('given a channel out of service, when half-open, then it gets one trial until its status changes', async () => {
  const log = new MemoryLog()
  log.record('channel-4', 'ChannelAdded', TERMS)
  log.record('channel-4', 'ChannelAutoDisabled', WHY)
  const directory = await start(log)
  expect(directory.mayTry(ask)).toBe(false)
  log.record('channel-4', 'ChannelHalfOpened', { reason: '' })
  await eventually(() => directory.mayTry(ask))
  expect(directory.choose(ask)).toBeNull()
  expect(directory.isListed('m')).toBe(true)
  expect(directory.modelsOf('default')).toEqual([])
  const trial = directory.beginTrial(ask)
  expect(trial?.channel).toMatchObject({ id: 4, isEnabled: false })
  expect(directory.beginTrial(ask)).toBeNull()
  trial?.giveBack()
  const second = directory.beginTrial(ask)
  expect(second?.channel.id).toBe(4)
  log.record('channel-4', 'ChannelTrialFailed', WHY)
  log.record('channel-4', 'ChannelHalfOpened', { reason: '' })
  await eventually(() => directory.mayTry(ask))
  const third = directory.beginTrial(ask)
  // One that outlives its status takes nothing from the next.
  second?.giveBack()
  expect(third?.channel.id).toBe(4)
  expect(directory.mayTry(ask)).toBe(false)
  log.record('channel-4', 'ChannelAutoEnabled', { reason: '' })
  await eventually(() => directory.choose(ask)?.id === 4)
  expect(directory.mayTry(ask)).toBe(false)
})

test('given a log in which a channel is half-open, when started, then it is tried', async () => {
  const log = new MemoryLog()
  log.record('channel-4', 'ChannelAdded', TERMS)
  log.record('channel-4', 'ChannelAutoDisabled', WHY)
  log.record('channel-4', 'ChannelHalfOpened', { reason: '' })
  expect((await start(log)).beginTrial(ask)?.channel.key).toBe('key-4')
})

test('given a new channel, when its secrets cannot be read at first, then it is routed to once they are', async () => {
  const log = new MemoryLog()
  let failures = 2
  const directory = await start(log, {
    async channelSecrets(ids) {
      failures -= 1
      if (failures >= 0) throw new Error('away')
      return new Map(
        ids.map((id): [typeof id, ChannelSecrets] => [
          id,
          { key: 'late', proxy: '', destination: null },
        ]),
      )
    },
  })
  log.record('channel-9', 'ChannelAdded', TERMS)
  await eventually(() => directory.choose(ask)?.key === 'late')
})

test('given a replaced key, when its event comes, then the new one is used', async () => {
  const log = new MemoryLog()
  log.record('channel-4', 'ChannelAdded', TERMS)
  let key = 'old'
  const directory = await start(log, {
    channelSecrets: async (ids) =>
      new Map(ids.map((id) => [id, { key, proxy: '', destination: null }])),
  })
  expect(directory.channel(channelId(4))?.key).toBe('old')
  key = 'new'
  log.record('channel-4', 'ChannelKeyReplaced', {})
  await eventually(() => directory.channel(4)?.key === 'new')
})

test('given a channel that moves, when its new key is not read yet, then the old key stays behind', async () => {
  const log = new MemoryLog()
  log.record('channel-4', 'ChannelAdded', TERMS)
  const there = 'http://127.0.0.1:10'
  for (const [before, after] of [
    [null, `1 ${there}`],
    ['1 http://127.0.0.1:9', `1 ${there}`],
  ] as const) {
    let stored: ChannelSecrets = { key: 'old', proxy: '', destination: before }
    const reading = Promise.withResolvers<void>()
    let isMoved = false
    const directory = await start(log, {
      async channelSecrets(ids) {
        const found = new Map(ids.map((id) => [id, stored]))
        if (isMoved) await reading.promise
        return found
      },
    })
    isMoved = true
    stored = { key: 'new', proxy: '', destination: after }
    log.record('channel-4', 'ChannelRevised', { ...TERMS, baseUrl: there })
    log.record('channel-4', 'ChannelKeyReplaced', {})
    const head = log.record('channel-4', 'ChannelDisabled', { reason: '' })
    await eventually(() => directory.position >= head)
    const pair = () => {
      const { key, baseUrl, isEnabled } = directory.channel(4) ?? {}
      return [key, baseUrl, isEnabled]
    }
    expect(pair()).toEqual(['old', 'http://127.0.0.1:9', false])
    reading.resolve()
    await eventually(() => directory.channel(4)?.key === 'new')
    expect(pair()).toEqual(['new', there, false])
    log.record('channel-4', 'ChannelEnabled', {})
    log.record('channel-4', 'ChannelRevised', TERMS)
    stored = { key: 'old', proxy: '', destination: null }
    await eventually(() => directory.channel(4)?.key === 'old')
  }
})

test('given a key for elsewhere, when a relay starts, then its channel waits until its key is there', async () => {
  const log = new MemoryLog()
  log.record('channel-4', 'ChannelAdded', TERMS)
  let destination = '1 http://127.0.0.1:10'
  const warnings: object[] = []
  const channelSecrets: DirectorySource['channelSecrets'] = async (ids) =>
    new Map(ids.map((id) => [id, { key: 'k', proxy: '', destination }]))
  const directory = await start(log, { channelSecrets }, warnings)
  expect([directory.channel(4), directory.choose(ask)]).toEqual([null, null])
  expect(warnings).toEqual([{ channels: [4] }])
  destination = '1 http://127.0.0.1:9'
  log.record('channel-4', 'ChannelKeyReplaced', {})
  await eventually(() => directory.choose(ask)?.key === 'k')
  expect(warnings).toHaveLength(1)
})

test('given a changed option, when its event comes, then settings and price book revision follow', async () => {
  const log = new MemoryLog()
  const directory = await start(log)
  expect(directory.settings.priceBook.revision).toBe(-1)
  const position = log.record('settings', 'OptionChanged', {
    key: 'ModelPrice',
    value: '{"m":1}',
    previous: null,
  })
  await eventually(() => directory.settings.priceBook.revision === position)
  log.record('settings', 'OptionChanged', { key: 'RetryTimes', value: '2', previous: null })
  await eventually(() => directory.settings.retryTimes === 2)
  expect(directory.settings.priceBook.revision).toBe(position)
})

const plan = (number: number, effectiveAt: number, ratio: number) => ({
  number,
  effectiveAt,
  changes: [{ key: 'ModelRatio', value: `{"m":${ratio}}`, previous: null }],
  note: null,
})

describe('planned prices', () => {
  beforeEach(() => {
    nowMs = 1_000
  })

  test('given a plan, when the clock passes its time, then the next request is priced by it', async () => {
    const log = new MemoryLog()
    const directory = await start(log)
    const position = log.record('settings', 'PriceBookRevised', plan(1, 5_000, 2))
    await eventually(() => directory.position >= position)
    nowMs = 4_999
    expect(directory.settings.priceBook.revision).toBe(-1)
    nowMs = 5_000
    expect(directory.settings.priceBook.revision).toBe(position)
    expect(directory.settings.priceBook.modelRatios.get('m')).toBe('2')
    nowMs = 0
    expect(directory.settings.priceBook.revision).toBe(position)
  })

  test('given a plan that took effect by the log, when the relay starts with an early clock, then it holds', async () => {
    const log = new MemoryLog()
    const position = log.record('settings', 'PriceBookRevised', plan(1, 5_000, 2))
    const { changes } = plan(1, 5_000, 2)
    log.record('settings', 'PriceRevisionTookEffect', { number: 1, changes })
    const directory = await start(log)
    expect(directory.settings.priceBook.revision).toBe(position)
  })

  test('given a relay that starts after a planned time, when nobody noted it, then it goes by the clock', async () => {
    const log = new MemoryLog()
    const position = log.record('settings', 'PriceBookRevised', plan(1, 5_000, 2))
    nowMs = 6_000
    const directory = await start(log)
    expect(directory.settings.priceBook.revision).toBe(position)
  })

  test('given a plan that is withdrawn, when its time comes, then prices stay', async () => {
    const log = new MemoryLog()
    const directory = await start(log)
    log.record('settings', 'PriceBookRevised', plan(1, 5_000, 2))
    const last = log.record('settings', 'PriceRevisionWithdrawn', { number: 1 })
    await eventually(() => directory.position >= last)
    nowMs = 6_000
    expect(directory.settings.priceBook.revision).toBe(-1)
  })
})
