import type { ChannelId } from '@tollgate/domain/ids.ts'
import type { ChannelFacts } from '../directory/facts.ts'
import type { Admission } from './admit.ts'
import type { RelayDeps } from './deps.ts'

/** The channel for the next attempt: the one an admin asked for, else by tier and weight among those not yet failed. */
export function route(
  { caller, request }: Admission,
  attempt: number,
  failed: ReadonlySet<ChannelId>,
  { directory }: RelayDeps,
): ChannelFacts | null {
  if (caller.pinnedChannel === null) {
    return directory.choose({ group: caller.group, model: request.model, attempt, failed })
  }
  const channel = directory.channel(Number(caller.pinnedChannel))
  return channel?.isEnabled === true ? channel : null
}
