import { headOfSeal, lastSeal } from '@tollgate/command-api/audit/seals.ts'
import { sealLedger } from '@tollgate/command-api/audit/seal-ledger.ts'
import type { NotedSeals } from '../../audit/noted-seals.ts'
import type { Config } from '../config.ts'
import type { Engines } from '../engines/engines.ts'
import { repeating } from '../timers/repeating.ts'
import { within } from '../timers/within.ts'
import type { Runtime } from '../runtime.ts'

/** An engine that does not answer must not keep the process. */
const STOP_WITHIN_MS = 2_000

/** The ledger sealed again and again. */
export interface Sealing {
  /** In words for an operator, when the ledger was not sealed for twice as long as it should be; else null. */
  warning(): string | null
  stop(): Promise<void>
}

/** Seals the ledger at every interval, and at once when that is overdue: several processes do each other no harm. */
export function startSealing(
  { ledgerSealMs }: Pick<Config, 'ledgerSealMs'>,
  { clock, randomness, logger }: Runtime,
  store: Engines['store'],
  noted: NotedSeals,
): Sealing {
  if (ledgerSealMs === null) return { warning: () => null, stop: async () => undefined }
  const ending = new AbortController()
  const { signal } = ending
  /** When everything was sealed last, unix milliseconds. */
  let sealedAt = clock.now()
  const seal = async (): Promise<void> => {
    const correlationId = randomness.uuid()
    const cause = { actor: 'system', correlationId, causationId: null } as const
    const { made, seal: newest } = await sealLedger({ store, clock, randomness }, cause, {
      signal,
      isInBackground: true,
    })
    if (!signal.aborted) sealedAt = clock.now()
    if (newest !== null) await noted.note(headOfSeal(newest))
    if (made > 0) logger.info({ made, seal: newest?.data }, 'sealed the ledger')
  }
  const failed = (err: unknown): void => {
    logger.warn({ err }, 'the ledger was not sealed, the next time covers it')
  }
  const sealIfDue = async (): Promise<void> => {
    const { seal: newest } = await lastSeal(store)
    if (newest === null) return
    sealedAt = Math.min(sealedAt, newest.data.at)
    if (clock.now() - sealedAt >= ledgerSealMs) await seal()
  }
  const first = sealIfDue().catch(failed)
  const sealing = repeating(ledgerSealMs, () => first.then(seal), failed)
  return {
    warning() {
      const minutes = Math.floor((clock.now() - sealedAt) / 60_000)
      if (clock.now() - sealedAt <= 2 * ledgerSealMs) return null
      return `the ledger was last sealed ${minutes} minutes ago, though it should be every ${ledgerSealMs / 60_000}; the log says why`
    },
    async stop() {
      ending.abort()
      await Promise.all([within(first, STOP_WITHIN_MS), sealing.stop()])
    },
  }
}
