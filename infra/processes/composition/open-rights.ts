import type { Engines } from '../engines/engines.ts'
import { repeating } from '../timers/repeating.ts'
import { within } from '../timers/within.ts'
import type { Runtime } from '../runtime.ts'

const LOOK_MS = 60_000
/** An engine that does not answer must not keep the process. */
const STOP_WITHIN_MS = 2_000

/** Looks now and every minute whether others may write to the ledger, where there can be any, and logs it once. */
export function watchOpenRights(
  store: Pick<Engines['store'], 'readOpenRights'>,
  { logger }: Pick<Runtime, 'logger'>,
  everyMs = LOOK_MS,
): { warning(): string | null; stop(): Promise<void> } {
  let said: string | null = null
  const look = async (): Promise<void> => {
    const found = (await store.readOpenRights?.()) ?? null
    if (found !== null && found !== said) logger.warn(`event-store: ${found}`)
    said = found
  }
  // Rights that cannot be seen now are looked for again; whether the log answers at all is said by others.
  const ignore = (): void => undefined
  const first = look().catch(ignore)
  const looking = repeating(everyMs, look, ignore)
  return {
    warning: () => said,
    async stop() {
      await Promise.all([within(first, STOP_WITHIN_MS), looking.stop()])
    },
  }
}
