import { cleanTest } from '@tollgate/domain/channel/decider.ts'
import { testProblem } from '@tollgate/domain/channel/untestable.ts'
import type { LiveChannel } from '@tollgate/domain/channel/state.ts'
import type { ChannelProbe, ProbeOutcome, Reach } from '@tollgate/domain/ports/channel-probe.ts'
import type { ChannelTelemetry } from '@tollgate/domain/ports/channel-telemetry.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import type { LiveOptions } from '../options/live-options.ts'
import { type ChannelOutcome, type ChannelWriterDeps, executeOnChannel } from './channel-writer.ts'
import type { ChannelReachDeps } from './deps.ts'
import { openChannel } from './open-channel.ts'

export type TestedChannel =
  | { readonly status: 'refused'; readonly message: string }
  | {
      readonly status: 'tested'
      readonly channel: LiveChannel
      readonly probe: ProbeOutcome
      readonly recorded: ChannelOutcome
    }

export interface ChannelTestDeps extends ChannelWriterDeps, ChannelReachDeps {
  readonly probe: Pick<ChannelProbe, 'test'>
  readonly options: Pick<LiveOptions, 'current'>
  readonly telemetry: Pick<ChannelTelemetry, 'recordTest'>
}

export interface HowToTest {
  /** '' = the channel's test model, else its first. */
  readonly model: string
  /** Null for a scheduled test. */
  readonly testedBy: number | null
  readonly reach: Reach
  readonly cause: CommandCause
  /** Gives the test up. */
  readonly signal: AbortSignal
}

/**
 * Sends one tiny real request through a channel and records how it went: as an event when that changes the channel,
 * else as telemetry. The request is not charged (decision 31). The model is the requested one, else the channel's test
 * model, else its first.
 */
export async function testChannel(
  deps: ChannelTestDeps,
  id: number,
  { model, testedBy, reach, cause, signal }: HowToTest,
): Promise<TestedChannel> {
  const opened = await openChannel(deps, id, reach)
  if (opened.status === 'refused') return opened
  const { channel, probed } = opened
  const { terms } = channel
  const untestable = testProblem(terms.type)
  if (untestable !== null) return { status: 'refused', message: untestable }
  const tested = model || terms.testModel || (terms.models[0] ?? 'gpt-4o-mini')
  const probe = await deps.probe.test(probed, tested, signal)
  // An aborted test says nothing about the channel.
  if (signal.aborted) return { status: 'refused', message: '测试已中止' }
  const { succeeded, durationMs, error, promptTokens, completionTokens } = probe
  const test = {
    model: tested,
    succeeded,
    durationMs: Math.round(durationMs),
    error,
    promptTokens,
    completionTokens,
    testedBy,
  }
  const recorded = await executeOnChannel(
    deps,
    { id, command: { type: 'RecordTest', ...test } },
    cause,
  )
  if (recorded.status === 'done' && !recorded.changed) {
    await deps.telemetry.recordTest({
      id: deps.randomness.uuid(),
      channel: id,
      test: cleanTest({ ...test, at: deps.clock.now() }),
      isLogged: succeeded && deps.options.current().flag('LogConsumeEnabled'),
    })
  }
  return { status: 'tested', channel, probe, recorded }
}
