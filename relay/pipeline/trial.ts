import type { Trial } from '../directory/facts.ts'
import type { UpstreamError } from '../upstream/errors.ts'
import type { RelayDeps } from './deps.ts'
import { isRetryable } from './retry.ts'

/** A request's evidence on the channel it was sent through: that it works, why it does not, or nothing (null). */
export type Shown = 'works' | UpstreamError | null

/** A channel that does not serve this path at all, or not yet: its key and account are none the wiser. */
const NOT_BUILT = 501

/** A failed attempt's evidence. The client's own mistakes, which any channel would refuse, show nothing. */
export const shownBy = (error: UpstreamError): Shown =>
  error.status !== NOT_BUILT && isRetryable(error) ? error : null

/**
 * Reports how the trial of a half-open channel ended. Its place is kept until the channel's status follows, and given
 * back when nothing was shown or the report was not taken.
 */
export function concludeTrial(trial: Trial, shown: Shown, deps: RelayDeps): void {
  if (shown === null) {
    trial.giveBack()
    return
  }
  const channel = trial.channel.id
  const outcome =
    shown === 'works'
      ? ({ channel, succeeded: true } as const)
      : ({
          channel,
          succeeded: false,
          reason: shown.message,
          upstreamStatus: shown.upstreamStatus,
          bodyExcerpt: shown.bodyExcerpt,
        } as const)
  deps.reportTrial(outcome).then(
    () => undefined,
    () => trial.giveBack(),
  )
}
