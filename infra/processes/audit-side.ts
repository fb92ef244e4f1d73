import { sealLedger } from '@tollgate/command-api/audit/seal-ledger.ts'
import type { Config } from './config.ts'
import type { Engines } from './engines.ts'
import { type Repeating, repeating } from './repeating.ts'
import type { World } from './world.ts'

/** Seals the ledger again and again, in every process that takes commands: several of them do each other no harm. */
export function startSealing(
  { ledgerSealMs }: Pick<Config, 'ledgerSealMs'>,
  { clock, randomness, logger }: World,
  { store }: Pick<Engines, 'store'>,
): Repeating {
  if (ledgerSealMs === null) return { stop: async () => undefined }
  const ending = new AbortController()
  const sealing = repeating(
    ledgerSealMs,
    async () => {
      const correlationId = randomness.uuid()
      const cause = { actor: 'system', correlationId, causationId: null } as const
      const { signal } = ending
      const { made, seal } = await sealLedger({ store, clock, randomness }, cause, { signal })
      if (made > 0) logger.info({ made, seal: seal?.data }, 'sealed the ledger')
    },
    (err) => logger.warn({ err }, 'the ledger was not sealed, the next time covers it'),
  )
  return {
    stop() {
      ending.abort()
      return sealing.stop()
    },
  }
}
