import { whyUntestable } from '@tollgate/domain/channel/untestable.ts'
import type { LiveChannel } from '@tollgate/domain/channel/state.ts'
import type { ProbeOutcome } from '@tollgate/domain/ports/channel-probe.ts'
import type { CommandCause } from '../ledger/cause.ts'
import {
  autoDisable,
  type AutomaticStatusDeps,
  concludeTrial,
  halfOpen,
  type WhyOutOfService,
} from './automatic-status.ts'
import { type ChannelOutcome, executeOnChannel, loadChannel } from './channel-writer.ts'
import type { ChannelRouteDeps } from './deps.ts'

export type TestedChannel =
  | { readonly status: 'refused'; readonly message: string }
  | {
      readonly status: 'tested'
      readonly channel: LiveChannel
      readonly probe: ProbeOutcome
      readonly recorded: ChannelOutcome
    }

/**
 * Sends one tiny real request through a channel and records how it went. Nobody is charged (decision 31). The model is
 * the one asked for, else the channel's test model, else its first.
 */
export async function testChannel(
  deps: ChannelRouteDeps,
  id: number,
  model: string,
  testedBy: number | null,
  cause: CommandCause,
): Promise<TestedChannel> {
  const [channel, secret] = await Promise.all([loadChannel(deps, id), deps.secrets.open(id)])
  if (channel === null || secret === null) return { status: 'refused', message: 'record not found' }
  const { terms } = channel
  const untestable = whyUntestable(terms.type)
  if (untestable !== null) return { status: 'refused', message: untestable }
  const tested = model || terms.testModel || (terms.models[0] ?? 'gpt-4o-mini')
  const probe = await deps.probe.test({ id, terms, key: secret.key, proxy: secret.proxy }, tested)
  const { succeeded, durationMs, error, promptTokens, completionTokens } = probe
  const recorded = await executeOnChannel(
    deps,
    id,
    {
      type: 'RecordTest',
      model: tested,
      succeeded,
      durationMs: Math.round(durationMs),
      error,
      promptTokens,
      completionTokens,
      testedBy,
    },
    cause,
  )
  return { status: 'tested', channel, probe, recorded }
}

/** After a test: takes out what is useless or too slow, and lets a request through what works again. */
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
  readonly why: WhyOutOfService
  /** Whether a channel in service is taken out for it. */
  readonly isWorthy: boolean
}

/** What a test found wrong; null when the channel may serve. `thresholdSeconds` 0 = time does not count. */
function faultOf(probe: ProbeOutcome, thresholdSeconds: number): Fault | null {
  const { error: reason, upstreamStatus, bodyExcerpt, succeeded, banWorthy, durationMs } = probe
  const seconds = durationMs / 1000
  const isSlow = thresholdSeconds > 0 && seconds > thresholdSeconds
  const said = { reason, upstreamStatus, bodyExcerpt }
  if (!succeeded && banWorthy) return { why: said, isWorthy: true }
  if (isSlow) {
    const tooSlow = `响应时间 ${seconds.toFixed(2)}s 超过阈值 ${thresholdSeconds.toFixed(2)}s`
    return {
      why: { reason: tooSlow, upstreamStatus: null, bodyExcerpt: '' },
      isWorthy: true,
    }
  }
  return succeeded ? null : { why: said, isWorthy: false }
}

/** Tests all channels in the background, one run at a time. */
export interface TestOfAll {
  /** Starts a run; false when one is going on already. */
  start(testedBy: number | null, cause: CommandCause): boolean
  /** Resolves when no run is going on. */
  idle(): Promise<void>
}

export function testOfAll(deps: ChannelRouteDeps, signal: AbortSignal): TestOfAll {
  let running: Promise<void> | null = null
  const run = async (testedBy: number | null, cause: CommandCause): Promise<void> => {
    for (const { id } of await deps.channelList.all()) {
      if (signal.aborted) return
      try {
        const tested = await testChannel(deps, id, '', testedBy, cause)
        if (tested.status === 'tested') {
          await drawConsequences(deps, id, tested.channel, tested.probe)
        }
      } catch (err) {
        // One channel's trouble (or the store's) must not keep the others from being tested.
        deps.log.warn({ err, channel: id }, 'a channel could not be tested')
      }
      await pause(deps.bulkPauseMs)
    }
  }
  return {
    start(testedBy, cause) {
      if (running !== null) return false
      running = run(testedBy, cause)
        .catch((err: unknown) => deps.log.warn({ err }, 'the test of all channels ended early'))
        .finally(() => {
          running = null
        })
      return true
    },
    idle: () => running ?? Promise.resolve(),
  }
}

/** Lets others work between two channels. */
export const pause = (ms: number): Promise<void> =>
  ms <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms))
