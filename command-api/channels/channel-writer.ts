import { destinationOf } from '@tollgate/domain/channel/destination.ts'
import { channelDecider, type ChannelCommand } from '@tollgate/domain/channel/decider.ts'
import type { ChannelTerms } from '@tollgate/domain/channel/events.ts'
import { isLive, type LiveChannel } from '@tollgate/domain/channel/state.ts'
import { normalisedTerms } from '@tollgate/domain/channel/terms.ts'
import { channelStream, LOG_START, type Position } from '@tollgate/domain/event.ts'
import type { ChannelId } from '@tollgate/domain/ids.ts'
import { channelRejectionMessage } from '../http/rejection-messages.ts'
import {
  type AggregateOptions,
  type AggregateWriter,
  decideOn,
  executeOn,
  loadAggregate,
} from '../aggregates/aggregate.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import {
  type ChannelSecret,
  type ChannelSecrets,
  type KeptSecret,
  type SecretChange,
} from '../secrets/channel-secrets.ts'

export interface ChannelWriterDeps extends AggregateWriter {
  readonly secrets: ChannelSecrets
}

export type ChannelOutcome =
  /** `changed`: some event was written. */
  | { readonly status: 'done'; readonly position: Position; readonly changed: boolean }
  | { readonly status: 'rejected'; readonly message: string }

/** Null for a channel that never was or is no more. */
export async function loadChannel(
  deps: ChannelWriterDeps,
  id: number,
): Promise<LiveChannel | null> {
  const { state } = await loadAggregate(deps.store, channelStream(id), channelDecider, {
    memory: deps.memory,
  })
  return isLive(state) ? state : null
}

/** Has a command decided on a channel's stream. */
export async function executeOnChannel(
  deps: ChannelWriterDeps,
  { id, command }: { readonly id: number; readonly command: ChannelCommand },
  cause: CommandCause,
  options?: AggregateOptions,
): Promise<ChannelOutcome> {
  const outcome = await executeOn(
    deps,
    { stream: channelStream(id), decider: channelDecider, command },
    cause,
    options,
  )
  return outcome.status === 'rejected'
    ? { status: 'rejected', message: channelRejectionMessage(outcome.rejection) }
    : { status: 'done', position: outcome.position, changed: outcome.events.length > 0 }
}

/** Makes the rows of channels that `addChannel` then adds, one for each secret. */
export async function insertSecrets(
  { secrets }: Pick<ChannelWriterDeps, 'secrets'>,
  channels: readonly ChannelSecret[],
  terms: ChannelTerms,
): Promise<readonly ChannelId[]> {
  const ids: ChannelId[] = []
  // One after the other: their numbers follow the order of the keys.
  for (const secret of channels) ids.push(await secrets.insert(secret, destinationOf(terms)))
  return ids
}

/**
 * Adds the channel of a row, which means nothing before this event. One that was added before stays as it is: only a
 * request that comes again names a row twice.
 */
export async function addChannel(
  deps: ChannelWriterDeps,
  id: ChannelId,
  terms: ChannelTerms,
  cause: CommandCause,
): Promise<ChannelOutcome> {
  const wasAdded = (await loadChannel(deps, id)) !== null
  return wasAdded
    ? { status: 'done', position: LOG_START, changed: false }
    : executeOnChannel(deps, { id, command: { type: 'AddChannel', terms } }, named(cause, id))
}

/** A change of a channel, and the terms and secret that it was decided upon. */
export interface Revision {
  /** The terms that were asked for; all others stay. */
  readonly changes: Partial<ChannelTerms>
  readonly from: ChannelTerms
  readonly secret: { readonly change: Partial<ChannelSecret>; readonly from: KeptSecret }
}

/**
 * Changes a channel's terms and secrets. Terms are checked before any secret is written. A new key or proxy is in its
 * row, with its destination, before the event that makes the relays read it. A change of the channel's destination is
 * refused when the channel leads elsewhere by now, and a change of its row when the row has changed since the decision.
 * All else is decided upon the present terms. When two callers change key and address at the same moment, the events
 * may come in the other order than the rows. Then the key stays with the destination it was given for, and the channel
 * waits for an administrator who brings the right one.
 */
export async function reviseChannel(
  deps: ChannelWriterDeps,
  id: number,
  revision: Revision,
  cause: CommandCause,
): Promise<ChannelOutcome> {
  const { changes, from, secret } = revision
  const command = {
    type: 'ReviseChannel',
    changes,
    ...(concernsDestination(revision) && { from }),
  } as const
  const refusal = await refusalProblem(deps, id, command)
  if (refusal !== null) return { status: 'rejected', message: refusal }
  const change = rowChange(revision)
  if (Object.keys(change).length === 0) return executeOnChannel(deps, { id, command }, cause)
  const updated = await deps.secrets.update(id, change, secret.from.revision)
  if (updated === null) return OVERTAKEN
  const revised = await executeOnChannel(deps, { id, command }, cause)
  if (revised.status === 'rejected') return revised
  const isAnnounced = change.key !== undefined || change.proxy !== undefined
  const outcome = isAnnounced ? await announceSecret(deps, id, cause) : revised
  const isStill = await deps.secrets.confirm(id, updated)
  return isStill ? outcome : OVERTAKEN
}

const OVERTAKEN = {
  status: 'rejected',
  message: channelRejectionMessage({ reason: 'channel-moved' }),
} as const

/** Whether a change bears on where the channel's key is sent. */
export const concernsDestination = ({ changes, secret }: Revision): boolean =>
  changes.type !== undefined ||
  changes.baseUrl !== undefined ||
  secret.change.key !== undefined ||
  secret.change.proxy !== undefined

/** The columns of a row that change; {} for none. */
function rowChange(revision: Revision): SecretChange {
  const { change, from } = revision.secret
  const destination = concernsDestination(revision)
    ? destinationOf(normalisedTerms({ ...revision.from, ...revision.changes }))
    : from.destination
  return {
    ...(change.name !== undefined && change.name !== from.name && { name: change.name }),
    ...(change.key !== undefined && change.key !== from.key && { key: change.key }),
    ...(change.proxy !== undefined && change.proxy !== from.proxy && { proxy: change.proxy }),
    ...(destination !== null && destination !== from.destination && { destination }),
  }
}

/** Makes every process that holds a channel's secrets in memory read them again. */
export const announceSecret = (
  deps: ChannelWriterDeps,
  id: number,
  cause: CommandCause,
): Promise<ChannelOutcome> =>
  executeOnChannel(deps, { id, command: { type: 'ReplaceChannelKey' } }, named(cause, id))

/** Deletes a channel, once a command, and forgets its secrets; its name stays for the log. */
export async function deleteChannel(
  deps: ChannelWriterDeps,
  id: number,
  cause: CommandCause,
): Promise<ChannelOutcome> {
  const once = { isOnce: true }
  const outcome = await executeOnChannel(
    deps,
    { id, command: { type: 'DeleteChannel' } },
    cause,
    once,
  )
  // Rejected when there is no such channel (any more): then there is nothing to keep secrets for either.
  await deps.secrets.erase(id)
  return outcome
}

/** The reason why a command would be refused, without doing it; null when it would be done. */
export async function refusalProblem(
  deps: ChannelWriterDeps,
  id: number,
  command: ChannelCommand,
): Promise<string | null> {
  const loaded = await loadAggregate(deps.store, channelStream(id), channelDecider, {
    memory: deps.memory,
  })
  const decision = decideOn(deps.clock, channelDecider, loaded, command)
  return decision.status === 'rejected' ? channelRejectionMessage(decision.rejection) : null
}

const named = (cause: CommandCause, id: number): CommandCause => ({
  ...cause,
  causationId: `secrets.channels/${id}`,
})
