import { AccountLedger, type Ledger } from '@tollgate/command-api/accounts/account-ledger.ts'
import { HoldService, type HoldServiceOptions } from '@tollgate/command-api/holds/hold-service.ts'
import { LocalRelays } from '@tollgate/command-api/holds/local-relays.ts'
import { ownsEverything } from '@tollgate/command-api/accounts/ownership.ts'
import type { RelayId, UserId } from '@tollgate/domain/ids.ts'
import type { HoldOwner, RecallListener } from '@tollgate/domain/ports/hold-owner.ts'
import type { UsageJournal } from '@tollgate/domain/ports/usage-journal.ts'
import { currentTimeline, type Timelines } from '@tollgate/domain/timeline/timelines.ts'
import type { WatchedLog } from '../engines/watched-log.ts'
import { repeating } from '../timers/repeating.ts'
import type { Runtime } from '../runtime.ts'

/** How a relay reaches the owners of accounts, wherever they are. */
export interface LedgerAccess {
  readonly owner: HoldOwner
  readonly journal: UsageJournal
  /** Lets the owners call idle quota back from this relay; ends with `close`. */
  listen(relay: RelayId, listener: RecallListener): { close(): Promise<void> }
  readinessProblem(): string | null
}

/** The ledger's writer, composed. */
export interface ComposedLedger {
  /** For commands on any account. */
  readonly ledger: Ledger
  /** Timelines of its log. */
  readonly timelines: Timelines
  readonly holds: HoldService
  readonly access: LedgerAccess
  recallIdleQuota(account: UserId): Promise<void>
  stop(): Promise<void>
}

/** How often holds that no relay claims any more are looked for. */
const SWEEP_MS = 5_000

/** How an owner treats what comes of another timeline than the log's present one. */
export const ofTheLog = (
  { watch, timelines }: Pick<WatchedLog, 'watch' | 'timelines'>,
  logger: Pick<Runtime['logger'], 'warn'>,
): Pick<HoldServiceOptions, 'admit' | 'seen' | 'onOtherTimeline'> => ({
  admit: (seen) => watch.admit(seen),
  seen: () => watch.markOfAnswer(),
  onOtherTimeline(what, hold) {
    const { log } = currentTimeline(timelines)
    const text = `ledger: a ${what} of another timeline was refused; the log's own is ${log}`
    logger.warn({ hold }, text)
  },
})

/** The one owner of all accounts, with its relays in the same process. */
export function composeLedger(runtime: Runtime, log: WatchedLog): ComposedLedger {
  const { timelines } = log
  const { store } = log.engines
  const { clock, randomness, logger } = runtime
  const ledger = new AccountLedger({ store, clock, randomness, timelines, log: logger })
  const relays = new LocalRelays(clock)
  const holds = new HoldService({
    ledger,
    clock,
    relays,
    ownership: ownsEverything(clock),
    ...ofTheLog(log, logger),
  })
  const sweeping = repeating(
    SWEEP_MS,
    () => holds.expireSilentHolds(),
    (err) => logger.warn({ err }, 'holds were not swept'),
  )
  return {
    ledger,
    timelines,
    holds,
    access: {
      owner: holds,
      journal: holds,
      listen(relay, listener) {
        relays.add(relay, listener)
        return { close: () => Promise.resolve(relays.remove(relay)) }
      },
      readinessProblem: () => null,
    },
    recallIdleQuota: (account) => holds.recallIdleQuota(account),
    async stop() {
      // First, or a sweep under way would repeat an append to a log that is unavailable for ever.
      ledger.stop()
      await sweeping.stop()
    },
  }
}
