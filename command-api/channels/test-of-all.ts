import { isDueForTest } from '@tollgate/domain/channel/recovery.ts'
import type { Caller } from '../http-contract/api-route.ts'
import type { Claim } from '@tollgate/domain/ports/leases.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import { loadChannel } from './channel-writer.ts'
import type { ChannelCareDeps } from './deps.ts'
import { eachChannel } from './each-channel.ts'
import { reachOf } from './private-address.ts'
import { testChannel } from './test-channel.ts'
import { drawConsequences } from './test-consequences.ts'

/** Tests all channels, one run at a time in all processes together. */
export interface TestOfAll {
  /** Starts a requested run in the background; false when one is going on already. */
  start(testedBy: Tester, cause: CommandCause): Promise<boolean>
  /** A scheduled run; resolves at its end, also when another one was going on. */
  run(cause: CommandCause, signal: AbortSignal): Promise<void>
  /** Resolves when no run that was started here is going on. */
  idle(): Promise<void>
}

/** The caller of a test of all channels. */
type Tester = Pick<Caller, 'userId' | 'role'>

const CLAIM = 'channel-tests'

export function testOfAll(deps: ChannelCareDeps): TestOfAll {
  const running = new Set<Promise<unknown>>()
  return {
    async start(testedBy, cause) {
      const claim = await deps.claimWork(CLAIM)
      if (claim === null) return false
      const run = testOnDemand(deps, testedBy, cause, claim)
        .catch((err: unknown) => deps.log.warn({ err }, 'the test of all channels ended early'))
        .finally(() => running.delete(run))
      running.add(run)
      return true
    },
    async run(cause, signal) {
      const claim = await deps.claimWork(CLAIM)
      if (claim === null) return
      try {
        await testAll(deps, null, cause, AbortSignal.any([deps.ending, claim.signal, signal]))
      } finally {
        await claim.release()
      }
    },
    async idle() {
      await Promise.all(running)
    },
  }
}

async function testOnDemand(
  deps: ChannelCareDeps,
  testedBy: Tester,
  cause: CommandCause,
  claim: Claim,
): Promise<void> {
  const signal = AbortSignal.any([deps.ending, claim.signal])
  try {
    await testAll(deps, testedBy, cause, signal)
    if (!signal.aborted) await deps.onAllTested(cause)
  } finally {
    await claim.release()
  }
}

async function testAll(
  deps: ChannelCareDeps,
  testedBy: Tester | null,
  cause: CommandCause,
  signal: AbortSignal,
): Promise<void> {
  const listed = await deps.channelList.all()
  const ids = listed.map(({ id }) => id)
  await eachChannel(deps, ids, signal, async (id) => {
    if (testedBy === null && (await isPausing(deps, id))) return
    const reach = testedBy === null ? 'configured' : reachOf(testedBy.role)
    const how = { model: '', testedBy: testedBy?.userId ?? null, reach, cause, signal }
    const tested = await testChannel(deps, id, how)
    if (tested.status === 'tested') await drawConsequences(deps, id, tested.channel, tested.probe)
  })
}

/** A channel out of service is left alone until its pause is over, unless a test is requested. */
async function isPausing(deps: ChannelCareDeps, id: number): Promise<boolean> {
  const channel = await loadChannel(deps, id)
  return channel?.status === 'auto-disabled' && !isDueForTest(channel, deps.clock.now())
}
