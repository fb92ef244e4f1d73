import { relayId, userId } from '@tollgate/domain/ids.ts'
import { type EventStore, StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { exampleLogView, exampleTimelines } from '@tollgate/tests/support/example-timelines.ts'
import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { type NatsServer, startNatsServer } from '@tollgate/tests/support/engines/nats-server.ts'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { singletonLease } from '../../leases/singleton-lease.ts'
import type { Engines } from '../engines/engines.ts'
import type { WatchedLog } from '../engines/watched-log.ts'
import type { Runtime } from '../runtime.ts'
import { type Bus, openBus } from './compose-bus.ts'
import { composeLedger } from './compose-ledger.ts'
import { composeSharedLedger } from './shared-ledger.ts'

let fixture: CommandApiFixture
let nats: NatsServer
let bus: Bus
let runtime: Runtime

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  nats = await startNatsServer()
  runtime = { ...fixture, logger: pino({ level: 'silent' }) }
  const limits = { natsCredsFile: null, natsReplicas: 1, natsUsageBytesMax: 16 * 1024 * 1024 }
  bus = await openBus(
    { ...limits, natsUrl: nats.url, masterKey: Buffer.alloc(32) },
    runtime,
    'test',
  )
})
afterAll(async () => {
  await bus.close()
  await nats.dispose()
  await fixture.close()
})

test.each([
  ['all in one', (log: WatchedLog) => composeLedger(runtime, log)],
  [
    'of several writers',
    (log: WatchedLog) => composeSharedLedger(runtime, log, bus, singletonLease(runtime.clock)),
  ],
])(
  'given a ledger %s that expires a hold while the log is away, when it is told to stop, then it does',
  async (_, compose) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const unavailable = { isUnavailable: false, appends: 0 }
    const engines = { ...fixture, store: storeWith(unavailable) } as unknown as Engines
    const composed = compose({ ...QUIET, engines })
    const account = userId(fixture.clock.monotonicMs() + 1)
    const cause = { actor: 'system', correlationId: 'test', causationId: null } as const
    await composed.ledger.execute(account, { type: 'OpenAccount' }, cause)
    const credit = { type: 'CreditQuota', amount: quota(100), source: 'grant', reason: '' } as const
    await composed.ledger.execute(account, credit, cause)
    const ask = { account, token: null, relay: relayId('r'), nonce: 'n' }
    const held = await composed.holds.placeHold({ ...ask, need: quota(10), want: quota(10) })
    expect(held.status).toBe('held')

    unavailable.isUnavailable = true
    fixture.pass(31_000)
    await vi.waitFor(() => {
      vi.advanceTimersByTime(5_000)
      expect(unavailable.appends).toBeGreaterThan(0)
    }, 20_000)
    vi.useRealTimers()
    await composed.stop()
  },
  30_000,
)

const QUIET = {
  timelines: exampleTimelines,
  watch: { ...exampleLogView, admit: () => Promise.resolve(), markOfAnswer: () => null },
  mustEnd: new Promise<never>(() => undefined),
  readinessProblem: () => null,
  exchange: () => Promise.resolve({ stop: () => undefined }),
  stop: () => Promise.resolve(),
}

/** The log, which takes nothing any more once it is unavailable. */
function storeWith(unavailable: { readonly isUnavailable: boolean; appends: number }): EventStore {
  const { store } = fixture
  return {
    append(...events) {
      if (!unavailable.isUnavailable) return store.append(...events)
      unavailable.appends += 1
      return Promise.reject(new StoreUnavailable('away', 'none'))
    },
    readStream: (...asked) => store.readStream(...asked),
    readAll: (...asked) => store.readAll(...asked),
    subscribeAll: (...asked) => store.subscribeAll(...asked),
    headPosition: () => store.headPosition(),
    newestAt: (position) => store.newestAt(position),
    hasGaplessPositions: store.hasGaplessPositions,
    describe: () => store.describe(),
    close: () => store.close(),
  }
}
