import type { ChannelId } from '../ids.ts'
import type { Operation } from './operation.ts'

/** Whether requests go to a channel; `trial`: one at a time, to see whether it works again. */
export type ChannelService = 'full' | 'trial' | 'none'

/** The facts about a channel that routing needs. */
export interface RoutedChannel {
  readonly id: ChannelId
  readonly service: ChannelService
  readonly models: readonly string[]
  /** The operations that its type serves: it gets no request for anything else. */
  readonly operations: readonly Operation[]
  /** Those that it answers in their clients' own protocol: it goes before others of its priority. */
  readonly native: readonly Operation[]
  readonly groups: readonly string[]
  /** Higher goes first. */
  readonly priority: number
  /** At least 0; its share within the priority. */
  readonly weight: number
}

/**
 * Enabled channels by group and model, in tiers. Immutable: a change gives a new table that shares what did not change,
 * so a request in flight keeps the table it started with.
 */
export interface RoutingTable {
  readonly channels: ReadonlyMap<ChannelId, RoutedChannel>
  readonly groups: ReadonlyMap<string, ModelRoutes>
  /** Those on trial, the one that would go first otherwise first; few, if any. */
  readonly onTrial: readonly RoutedChannel[]
}

type ModelRoutes = ReadonlyMap<string, readonly Tier[]>

/** Channels of one priority; tiers stand in falling order of priority. */
export interface Tier {
  readonly priority: number
  /** Never empty; by id, so that the same draw gives the same channel in every process. */
  readonly channels: readonly RoutedChannel[]
}

export const NO_ROUTES: RoutingTable = { channels: new Map(), groups: new Map(), onTrial: [] }

/** The table of all channels; of two with one id the later counts. */
export function routingTableFrom(channels: Iterable<RoutedChannel>): RoutingTable {
  const byId = new Map([...channels].map((channel) => [channel.id, channel]))
  const lists = new Map<string, Map<string, RoutedChannel[]>>()
  for (const channel of byId.values()) {
    if (channel.service !== 'full') continue
    for (const group of new Set(channel.groups)) {
      const models = lists.get(group) ?? new Map<string, RoutedChannel[]>()
      lists.set(group, models)
      for (const model of new Set(channel.models)) {
        const list = models.get(model)
        if (list === undefined) models.set(model, [channel])
        else list.push(channel)
      }
    }
  }
  const groups = [...lists].map(
    ([group, models]) =>
      [group, new Map([...models].map(([model, list]) => [model, tiersOf(list)]))] as const,
  )
  return { channels: byId, groups: new Map(groups), onTrial: trialsAmong(byId.values()) }
}

/** The table with this channel in place of the one under its id. */
export function withChannel(table: RoutingTable, channel: RoutedChannel): RoutingTable {
  const without = withoutChannel(table, channel.id)
  const channels = new Map(without.channels).set(channel.id, channel)
  if (channel.service === 'none') return { ...without, channels }
  if (channel.service === 'trial') {
    return { ...without, channels, onTrial: trialsAmong([...without.onTrial, channel]) }
  }
  return {
    channels,
    onTrial: without.onTrial,
    groups: rerouted(without, channel, (others) => [...others, channel]),
  }
}

/** The table without a channel; the same table when it is not in it. */
export function withoutChannel(table: RoutingTable, id: ChannelId): RoutingTable {
  const channel = table.channels.get(id)
  if (channel === undefined) return table
  const channels = new Map(table.channels)
  channels.delete(id)
  const onTrial = table.onTrial.filter((other) => other.id !== id)
  if (channel.service !== 'full') return { ...table, channels, onTrial }
  return {
    channels,
    onTrial,
    groups: rerouted(table, channel, (all) => all.filter((other) => other.id !== id)),
  }
}

/** Distinct models that an enabled channel serves in any of the groups, sorted by name. */
export const modelsOf = (table: RoutingTable, groups: Iterable<string>): readonly string[] =>
  [
    ...new Set([...groups].flatMap((group) => [...(table.groups.get(group)?.keys() ?? [])])),
  ].toSorted()

/** Rebuilds the routes that a channel is part of, and only those. */
function rerouted(
  table: RoutingTable,
  channel: RoutedChannel,
  change: (channels: readonly RoutedChannel[]) => readonly RoutedChannel[],
): ReadonlyMap<string, ModelRoutes> {
  const groups = new Map(table.groups)
  for (const group of new Set(channel.groups)) {
    const models = new Map(groups.get(group))
    for (const model of new Set(channel.models)) {
      const list = change((models.get(model) ?? []).flatMap((tier) => tier.channels))
      if (list.length === 0) models.delete(model)
      else models.set(model, tiersOf(list))
    }
    if (models.size === 0) groups.delete(group)
    else groups.set(group, models)
  }
  return groups
}

const trialsAmong = (channels: Iterable<RoutedChannel>): readonly RoutedChannel[] =>
  [...channels]
    .filter(({ service }) => service === 'trial')
    .toSorted((a, b) => b.priority - a.priority || a.id - b.id)

function tiersOf(channels: readonly RoutedChannel[]): readonly Tier[] {
  const priorities = new Set(channels.map((channel) => channel.priority))
  return [...priorities]
    .toSorted((a, b) => b - a)
    .map((priority) => ({
      priority,
      channels: channels
        .filter((channel) => channel.priority === priority)
        .toSorted((a, b) => a.id - b.id),
    }))
}
