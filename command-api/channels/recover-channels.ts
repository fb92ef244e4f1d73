import { isSpent } from '@tollgate/domain/channel/balance.ts'
import { isDueForTest } from '@tollgate/domain/channel/recovery.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import { loadChannel } from './channel-writer.ts'
import type { ChannelCareDeps } from './deps.ts'
import { eachChannel } from './each-channel.ts'
import { readBalance } from './read-balance.ts'
import { testChannel } from './test-channel.ts'
import { drawConsequences } from './test-consequences.ts'

/**
 * Tests channels that were taken out of service automatically and whose pause is over; one that passes is tried with a
 * request. Only while AutomaticEnableChannelEnabled is on, whether or not channels are tested by schedule.
 */
export async function recoverChannels(
  deps: ChannelCareDeps,
  cause: CommandCause,
  signal: AbortSignal,
): Promise<void> {
  if (!deps.options.current().flag('AutomaticEnableChannelEnabled')) return
  const ids = await deps.channelList.dueForTest(deps.clock.now())
  await eachChannel(deps, ids, signal, (id) => recoverChannel(deps, id, cause, signal))
}

async function recoverChannel(
  deps: ChannelCareDeps,
  id: number,
  cause: CommandCause,
  signal: AbortSignal,
): Promise<void> {
  const channel = await loadChannel(deps, id)
  // The list may be a moment old.
  if (channel === null || !isDueForTest(channel, deps.clock.now())) return
  if (channel.balance !== null && isSpent(channel.balance.usd)) {
    // An account without money may answer a tiny request and would be taken out by the next look at its balance.
    const read = await readBalance(deps, id, { reach: 'configured', cause, signal })
    if (read.status === 'read' && isSpent(read.balanceUsd)) return
  }
  const how = { model: '', testedBy: null, reach: 'configured', cause, signal } as const
  const tested = await testChannel(deps, id, how)
  if (tested.status === 'tested') await drawConsequences(deps, id, tested.channel, tested.probe)
}
