import { within as strictlyWithin } from '@tollgate/domain/kernel/within.ts'
import { systemClock } from '../runtime.ts'

/** Waits for work that may take for ever, at most so long; what it comes to is not wanted any more. Fails as it does. */
export const within = (work: Promise<unknown>, ms: number): Promise<unknown> =>
  strictlyWithin(ms, systemClock, work, () => undefined)
