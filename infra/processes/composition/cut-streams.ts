import type { CutStream } from '@tollgate/domain/ports/event-store.ts'
import type { Engines } from '../engines/engines.ts'
import { repeating } from '../timers/repeating.ts'
import { within } from '../timers/within.ts'
import type { Runtime } from '../runtime.ts'

/** Each search goes on where the last one ended, so that it costs little. */
const LOOK_MS = 60_000
const NAMED_MAX = 3
/** An engine that does not answer must not keep the process. */
const STOP_WITHIN_MS = 2_000

/** Looks now and every minute which streams of the ledger other clients limit or have deleted, where there can be any. */
export function watchCutStreams(
  store: Pick<Engines['store'], 'readCutStreams'>,
  { logger }: Pick<Runtime, 'logger'>,
  everyMs = LOOK_MS,
): { warning(): string | null; stop(): Promise<void> } {
  if (store.readCutStreams === undefined)
    return { warning: () => null, stop: async () => undefined }
  let cut: readonly CutStream[] = []
  const look = async (): Promise<void> => {
    cut = (await store.readCutStreams?.()) ?? []
  }
  const failed = (err: unknown): void => {
    logger.warn({ err }, 'event log: nobody could look which streams other clients have cut')
  }
  const first = look().catch(failed)
  const looking = repeating(everyMs, look, failed)
  return {
    warning: () => (cut.length === 0 ? null : warningOf(cut)),
    async stop() {
      await Promise.all([within(first, STOP_WITHIN_MS), looking.stop()])
    },
  }
}

function warningOf(cut: readonly CutStream[]): string {
  const named = cut.slice(0, NAMED_MAX).map(({ stream, how }) => `${stream}: ${how}`)
  const more = cut.length > NAMED_MAX ? ', and more' : ''
  const streams = cut.length === 1 ? '1 stream' : `${cut.length} streams`
  return `another client has cut ${streams} of the ledger (${named.join(', ')}${more}); npm run audit -- verify lists all`
}
