import type { ChannelId } from '../ids.ts'
import type { ChargedUsage } from './events.ts'
import { bareAttempt, UNTOLD } from './request-facts.ts'

/** A charged request as charges before version 3 have it: with the channels alone. */
export type RequestWithPath = Omit<ChargedUsage, 'admittedAt' | 'attempts' | 'upstream'> & {
  readonly path: readonly ChannelId[]
}

/** The same as one of version 3. */
export const withAttempts = ({ path, ...request }: RequestWithPath): ChargedUsage => ({
  ...request,
  admittedAt: null,
  attempts: path.map(bareAttempt),
  upstream: UNTOLD,
})
