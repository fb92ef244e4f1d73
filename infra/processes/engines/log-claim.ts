import {
  checkClaims,
  claimLog,
  type ClaimOptions,
  objectToClaims,
} from '@tollgate/command-api/timelines/log-pair/log-claims.ts'
import { LogMismatch } from '@tollgate/command-api/timelines/log-pair/log-mismatch.ts'
import { WriteDenied } from '@tollgate/domain/ports/event-store.ts'
import type { LogWatch } from '@tollgate/command-api/timelines/log-watch.ts'
import { repeating } from '../timers/repeating.ts'
import type { Runtime } from '../runtime.ts'

/** `writes`: decides on accounts, so it claims the log and defends it; `follows`: goes with the database that has it. */
export type LogRole = 'writes' | 'follows'

/** A database that lets two seconds pass without an objection loses the log. */
export const LOOK_MS = { writes: 500, follows: 5_000 } as const

/**
 * Claims the log, or makes sure that it goes with this database. A log in the database itself needs no claim. Answers
 * false when the log may not be written to, so that the claim has to follow.
 */
export async function openClaim(options: ClaimOptions, role: LogRole): Promise<boolean> {
  if (options.places.isLogInDatabase) return true
  try {
    await (role === 'writes' ? claimLog(options) : checkClaims(options))
    return true
  } catch (error) {
    // Readiness says so; a process that does not even listen could not.
    if (!(error instanceof WriteDenied)) throw error
    await checkClaims(options)
    return false
  }
}

/** A claim for as long as the process runs. */
export interface KeptClaim {
  /** Resolves when the log goes with another database. */
  readonly lost: Promise<LogMismatch>
  stop(): Promise<void>
}

export interface KeptClaimOptions extends ClaimOptions {
  readonly role: LogRole
  /** The answer of `openClaim`. */
  readonly isClaimed: boolean
  readonly watch: Pick<LogWatch, 'disown'>
  readonly logger: Pick<Runtime['logger'], 'warn'>
}

/** Keeps the log with this database; once it goes with another one, nothing more is appended. */
export function keepLogClaimed(options: KeptClaimOptions): KeptClaim {
  const { role, logger } = options
  const { lost, look } = claimLooks(options)
  if (options.places.isLogInDatabase) return { lost, stop: () => Promise.resolve() }
  let isFailing = false
  const keeping = repeating(
    LOOK_MS[role],
    () => look().then(() => (isFailing = false)),
    (err) => {
      if (isFailing) return
      isFailing = true
      logger.warn({ err }, 'event log: claims of other databases could not be looked for')
    },
  )
  return { lost, stop: () => keeping.stop() }
}

/** The look that `keepLogClaimed` takes again and again; it fails with StoreUnavailable, or as the database does. */
export function claimLooks(options: KeptClaimOptions): {
  readonly lost: Promise<LogMismatch>
  readonly look: () => Promise<void>
} {
  const { role, watch, logger } = options
  const lost = Promise.withResolvers<LogMismatch>()
  let { isClaimed } = options
  if (!isClaimed) watch.disown('claim', UNCLAIMED)
  const compare = async (): Promise<void> => {
    if (!isClaimed) {
      await claimLog(options)
      isClaimed = true
      watch.disown('claim', null)
    }
    if (role === 'follows') return checkClaims(options)
    const claims = await objectToClaims(options)
    if (claims > 0) {
      logger.warn({ claims }, 'event log: a Tollgate with another database claimed it; refused')
    }
  }
  return {
    lost: lost.promise,
    look: () =>
      compare().catch((error: unknown) => {
        if (!(error instanceof LogMismatch)) throw error
        watch.disown('claim', error.message)
        lost.resolve(error)
      }),
  }
}

const UNCLAIMED = 'the event log was not claimed for this database yet, as it takes no writes'
