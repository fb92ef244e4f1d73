import type { ChannelId } from '@tollgate/domain/ids.ts'
import type { ChannelFacts, Trial } from '../directory/facts.ts'
import type { Admission } from './admit.ts'
import type { RelayDeps } from './deps.ts'

/** The attempts made for a request so far. */
export interface Tried {
  /** Attempts that count as retries. */
  readonly attempts: number
  readonly failed: ReadonlySet<ChannelId>
  /** Those of them that have no words for the request, or do not allow its contents. */
  readonly refused: ReadonlySet<ChannelId>
  /** Whether it has been a channel's trial already: one request does not find out about several. */
  readonly hasTried: boolean
}

export interface Routed {
  readonly channel: ChannelFacts
  /** Null for a channel in full service. */
  readonly trial: Trial | null
}

/**
 * The channel for the next attempt: the one an admin asked for, else a half-open one that waits for its trial, else by
 * tier and weight among those not yet failed. None but the first is ever one whose type does not serve the operation.
 */
export function route(
  { caller, request }: Admission,
  { attempts: attempt, failed, refused, hasTried }: Tried,
  { directory }: RelayDeps,
): Routed | null {
  if (caller.pinnedChannel !== null) {
    const channel = directory.channel(Number(caller.pinnedChannel))
    return channel?.isEnabled === true ? { channel, trial: null } : null
  }
  const { model, endpoint } = request
  const question = {
    group: caller.group,
    model,
    operation: endpoint.mode,
    attempt,
    failed,
    refused,
  }
  const trial = hasTried ? null : directory.beginTrial(question)
  if (trial !== null) return { channel: trial.channel, trial }
  const channel = directory.choose(question)
  return channel && { channel, trial: null }
}
