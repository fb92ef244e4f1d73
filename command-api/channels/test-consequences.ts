import type { LiveChannel } from '@tollgate/domain/channel/state.ts'
import type { ProbeOutcome } from '@tollgate/domain/ports/channel-probe.ts'
import {
  autoDisable,
  type AutomaticStatusDeps,
  concludeTrial,
  halfOpen,
  type OutageReason,
} from './automatic-status.ts'

/**
 * The consequences of a test: a channel that is useless or too slow goes out of service, and one that works again may
 * serve a request.
 */
export async function drawConsequences(
  deps: AutomaticStatusDeps,
  id: number,
  channel: LiveChannel,
  probe: ProbeOutcome,
): Promise<void> {
  const fault = faultOf(probe, deps.options.current().number('ChannelDisableThreshold'))
  switch (channel.status) {
    case 'enabled':
      if (fault !== null && fault.isWorthy) await autoDisable(deps, id, fault.why)
      return
    case 'auto-disabled':
      if (fault === null) await halfOpen(deps, id, HALF_OPENED)
      return
    case 'half-open':
      if (fault !== null) await concludeTrial(deps, id, { succeeded: false, ...fault.why })
      return
    case 'disabled':
      return
    default:
      channel.status satisfies never
  }
}

const HALF_OPENED = '测试通过，等待一次请求成功后恢复'

interface Fault {
  readonly why: OutageReason
  /** Whether a channel in service is taken out for it. */
  readonly isWorthy: boolean
}

/** The fault that a test found; null when the channel may serve. `thresholdSeconds` 0 = time does not count. */
function faultOf(probe: ProbeOutcome, thresholdSeconds: number): Fault | null {
  const { error: reason, upstreamStatus, bodyExcerpt, succeeded, banWorthy, durationMs } = probe
  const seconds = durationMs / 1000
  const isSlow = thresholdSeconds > 0 && seconds > thresholdSeconds
  const said = { reason, upstreamStatus, bodyExcerpt }
  if (!succeeded && banWorthy) return { why: said, isWorthy: true }
  if (isSlow) {
    const tooSlow = `响应时间 ${seconds.toFixed(2)}s 超过阈值 ${thresholdSeconds.toFixed(2)}s`
    return { why: { ...said, reason: tooSlow }, isWorthy: true }
  }
  return succeeded ? null : { why: said, isWorthy: false }
}
