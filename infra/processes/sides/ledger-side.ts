import { AccountLedger, type Ledger } from '@tollgate/command-api/ledger/account-ledger.ts'
import { HoldDesk } from '@tollgate/command-api/ledger/hold-desk.ts'
import { NearbyRelays } from '@tollgate/command-api/ledger/nearby-relays.ts'
import { ownsEverything } from '@tollgate/command-api/ledger/ownership.ts'
import type { RelayId, UserId } from '@tollgate/domain/ids.ts'
import type { HoldOwner, RecallListener } from '@tollgate/domain/ports/hold-owner.ts'
import type { UsageJournal } from '@tollgate/domain/ports/usage-journal.ts'
import type { Engines } from '../engines/engines.ts'
import { repeating } from '../timers/repeating.ts'
import type { World } from '../world.ts'

/** How a relay reaches the owners of accounts, wherever they are. */
export interface LedgerAccess {
  readonly owner: HoldOwner
  readonly journal: UsageJournal
  /** Lets the owners call idle quota back from this relay; ends with `close`. */
  listen(relay: RelayId, listener: RecallListener): { close(): Promise<void> }
  whyNotReady(): string | null
}

/** The ledger's writer, composed. */
export interface LedgerSide {
  /** For commands on any account. */
  readonly ledger: Ledger
  readonly holds: HoldDesk
  readonly access: LedgerAccess
  recallIdleQuota(account: UserId): Promise<void>
  stop(): Promise<void>
}

/** How often holds that no relay claims any more are looked for. */
const SWEEP_MS = 5_000

/** The one owner of all accounts, with its relays in the same process. */
export function composeLedger(world: World, { store }: Engines): LedgerSide {
  const { clock, randomness, logger } = world
  const ledger = new AccountLedger({ store, clock, randomness })
  const relays = new NearbyRelays(clock)
  const holds = new HoldDesk({ ledger, clock, relays, ownership: ownsEverything(clock) })
  const sweeping = repeating(
    SWEEP_MS,
    () => holds.expireSilentHolds(),
    (err) => logger.warn({ err }, 'holds were not swept'),
  )
  return {
    ledger,
    holds,
    access: {
      owner: holds,
      journal: holds,
      listen(relay, listener) {
        relays.add(relay, listener)
        return { close: () => Promise.resolve(relays.remove(relay)) }
      },
      whyNotReady: () => null,
    },
    recallIdleQuota: (account) => holds.recallIdleQuota(account),
    async stop() {
      // First, or a sweep under way would repeat an append to a log that is away for ever.
      ledger.stop()
      await sweeping.stop()
    },
  }
}
