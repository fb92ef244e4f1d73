import { randomBytes, randomUUID } from 'node:crypto'
import type { ProviderAddresses } from '@tollgate/command-api/oauth/provider-addresses.ts'
import type { Entropy } from '@tollgate/command-api/secrets/entropy.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Randomness } from '@tollgate/domain/ports/randomness.ts'
import type { Logger } from 'pino'
import { pause } from '../time/pause.ts'

/**
 * The things that a process takes from outside of itself besides its configuration; the demo and tests bring their own.
 */
export interface Runtime {
  readonly clock: Clock
  /** The clock by which holds live and lapse, where `clock` shows a made-up past: the real time. Default `clock`. */
  readonly holdClock?: Clock
  readonly randomness: Randomness
  readonly entropy: Entropy
  readonly logger: Logger
  /** Aborts when the process is told to stop, which it may be while it still starts. */
  readonly stopping?: AbortSignal
  /** True for `npm run demo`: the console then says that all of it is made up. */
  readonly isDemo?: boolean
  /** The real ones unless a test has its own. */
  readonly providers?: ProviderAddresses
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: pause,
}

export const systemRandomness: Randomness = {
  uuid: () => randomUUID(),
  fraction: () => Math.random(),
}

export const systemEntropy: Entropy = (bytes) => randomBytes(bytes)
