import { AccountLedger } from '@tollgate/command-api/accounts/account-ledger.ts'
import { HoldService } from '@tollgate/command-api/holds/hold-service.ts'
import type { Ownership } from '@tollgate/command-api/accounts/ownership.ts'
import {
  ownPartitions,
  type PartitionTransport,
} from '@tollgate/command-api/accounts/partition-ownership.ts'
import { sweepOpenHolds } from '@tollgate/command-api/holds/partition-sweep.ts'
import { routedLedger } from '@tollgate/command-api/accounts/routed-ledger.ts'
import type { UserId } from '@tollgate/domain/ids.ts'
import type { ShareWork } from '@tollgate/domain/ports/leases.ts'
import { openHoldsOfPartitions } from '@tollgate/projections/balances/queries.ts'
import { type ServedOwner, serveOwner } from '../../bus/nats/owner-service.ts'
import { natsRelays } from '../../bus/nats/relays.ts'
import { remoteLedger } from '../../bus/nats/remote-ledger.ts'
import { consumeUsage } from '../../bus/nats/usage-consumer.ts'
import { type Bus, busAccess } from './compose-bus.ts'
import type { WatchedLog } from '../engines/watched-log.ts'
import { type ComposedLedger, ofTheLog } from './compose-ledger.ts'
import { repeating } from '../timers/repeating.ts'
import type { Runtime } from '../runtime.ts'

/** How often holds that no relay claims any more are looked for, here and in the read model of open holds. */
const SILENCE_MS = 5_000
const OPEN_HOLDS_MS = 30_000

/** A writer that owns its share of the accounts: relays and the other writers reach it over NATS. */
export function composeSharedLedger(
  runtime: Runtime,
  log: WatchedLog,
  bus: Bus,
  shareWork: ShareWork,
): ComposedLedger {
  const { clock, randomness, logger } = runtime
  const { timelines } = log
  const { store, db } = log.engines
  const own = new AccountLedger({ store, clock, randomness, timelines, log: logger })
  const ownership = ownPartitions(own)
  const relays = natsRelays(bus.link)
  const holds = new HoldService({ ledger: own, clock, relays, ownership, ...ofTheLog(log, logger) })
  const others = remoteLedger(bus.ask, clock)
  ownership.start(shareWork, transportOf(runtime, bus, { ledger: own, holds, ownership }))
  const sweeps = [
    repeating(
      SILENCE_MS,
      () => holds.expireSilentHolds(),
      (err) => logger.warn({ err }, 'holds were not swept'),
    ),
    repeating(
      OPEN_HOLDS_MS,
      () =>
        sweepOpenHolds(
          () => ownership.owned(),
          holds,
          (asked) => openHoldsOfPartitions(db, asked),
        ),
      (err) => logger.warn({ err }, 'open holds were not looked for'),
    ),
  ]
  return {
    timelines,
    ledger: routedLedger({ own, ownership, others, clock }),
    holds,
    access: busAccess(bus),
    recallIdleQuota: (account) =>
      ownership.ownedSince(account) === null
        ? others.recallIdleQuota(account)
        : holds.recallIdleQuota(account),
    async stop() {
      // First, or a sweep under way would repeat an append to a log that is unavailable for ever.
      own.stop()
      await Promise.all(sweeps.map((sweep) => sweep.stop()))
      await ownership.stop()
    },
  }
}

/** The work of an owner on a partition while it has it: takes in its charges and answers its questions. */
function transportOf(
  { clock }: Runtime,
  { link, usage }: Bus,
  {
    ledger,
    holds,
    ownership,
  }: { readonly ledger: AccountLedger; readonly holds: HoldService; readonly ownership: Ownership },
): PartitionTransport {
  let hearsSince = clock.monotonicMs()
  link.onReconnect(() => (hearsSince = clock.monotonicMs()))
  const owner: ServedOwner = {
    placeHold: (ask) => holds.placeHold(ask),
    extendHold: (ask) => holds.extendHold(ask),
    claimHolds: (relay, held) => holds.claimHolds(relay, held),
    finishHold: (hold, finalSequence) => holds.finishHold(hold, finalSequence),
    recallIdleQuota: (account) => holds.recallIdleQuota(account),
    execute: (...command) => ledger.execute(...command),
  }
  const owns = (account: UserId): boolean => ownership.ownedSince(account) !== null
  return {
    hearsSince: () => hearsSince,
    isReached: () => link.isConnected(),
    open(partition) {
      const service = serveOwner({ link, partition, owner, owns })
      const consumer = consumeUsage({
        stream: usage,
        partition,
        take: (message) => holds.publish(message),
      })
      return {
        isDrained: () => consumer.isDrained(),
        async close() {
          await Promise.all([service.stop(), consumer.stop()])
        },
      }
    },
  }
}
