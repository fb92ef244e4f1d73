import type { ChannelId } from '../ids.ts'
import { pricedName } from '../pricing/model-name.ts'
import type { Operation } from './operation.ts'
import type { RoutedChannel, RoutingTable, Tier } from './routing-table.ts'

export interface RouteQuestion {
  readonly group: string
  /** As the client named it. */
  readonly model: string
  readonly operation: Operation
  /** 0 for the first try of a request, then 1, 2, … */
  readonly attempt: number
  /** Channels that failed this request. */
  readonly failed: ReadonlySet<ChannelId>
  /** Those of them that have no way to be sent it: never tried again; absent = none. */
  readonly refused?: ReadonlySet<ChannelId>
  /** Uniform in [0, 1). */
  readonly random: number
}

/**
 * The channel to try next; null when no enabled channel serves the operation and the model in the group. The highest
 * tier with an untried channel is drawn from by weight, among those that need no translation while one is untried:
 * translation loses what the other protocol has no word for. A channel that failed this request is tried again only when every other has failed
 * too (decision 12): then the tiers are gone through once more from the top, one an attempt.
 */
export function chooseChannel(table: RoutingTable, question: RouteQuestion): ChannelId | null {
  const { failed, random, attempt } = question
  const tiers = tiersFor(table, question)
  for (const tier of tiers) {
    const untried =
      failed.size === 0 ? tier.channels : tier.channels.filter(({ id }) => !failed.has(id))
    if (untried.length > 0) return draw(nativeAmong(untried, question.operation), random)
  }
  const tried = tiers.reduce((count, tier) => count + tier.channels.length, 0)
  const left = tiers
    .map(({ channels }) => channels.filter(({ id }) => question.refused?.has(id) !== true))
    .filter((channels) => channels.length > 0)
  const again = left[Math.max(0, attempt - tried) % left.length]
  return again === undefined ? null : draw(again, random)
}

/**
 * The channel on trial that the request should be tried with, before any other and whatever its tier: the sooner it
 * shows whether it works, the sooner it serves again or is left alone. `isFree` tells whether it has no trial going on.
 * Null when there is none.
 */
export function chooseTrial(
  { onTrial }: RoutingTable,
  question: Pick<RouteQuestion, 'group' | 'model' | 'operation' | 'failed'>,
  isFree: (id: ChannelId) => boolean,
): ChannelId | null {
  const found = onTrial.find(
    (channel) =>
      !question.failed.has(channel.id) && doesServe(channel, question) && isFree(channel.id),
  )
  return found?.id ?? null
}

/** True when any channel lists the model, in or out of service, in any group. Such a model may be served again. */
export function isListed(table: RoutingTable, model: string): boolean {
  const listed = LISTED.get(table) ?? listedIn(table)
  return listed.has(model) || listed.has(pricedName(model))
}

/** Gathered once a table: clients may ask for unknown models as often as they like. */
const LISTED = new WeakMap<RoutingTable, ReadonlySet<string>>()

function listedIn(table: RoutingTable): ReadonlySet<string> {
  const listed = new Set([...table.channels.values()].flatMap(({ models }) => models))
  LISTED.set(table, listed)
  return listed
}

/** Those that answer in the client's own protocol; all, where none does. */
function nativeAmong(
  channels: readonly RoutedChannel[],
  operation: Operation,
): readonly RoutedChannel[] {
  const found = channels.filter(({ native }) => native.includes(operation))
  return found.length > 0 ? found : channels
}

/** Added to every weight, so that a channel of weight 0 gets traffic too (relay-and-billing 3.1). */
const WEIGHT_BASE = 10

function draw(channels: readonly RoutedChannel[], random: number): ChannelId | null {
  const total = channels.reduce((sum, channel) => sum + channel.weight + WEIGHT_BASE, 0)
  let left = random * total
  for (const channel of channels) {
    left -= channel.weight + WEIGHT_BASE
    if (left < 0) return channel.id
  }
  // Only rounding of the last subtraction can lead here.
  return channels.at(-1)?.id ?? null
}

/** Routes of the name itself, else of the family it belongs to, with the channels that serve the operation. */
function tiersFor(
  table: RoutingTable,
  { group, model, operation }: Pick<RouteQuestion, 'group' | 'model' | 'operation'>,
): readonly Tier[] {
  const models = table.groups.get(group)
  const tiers = (models && routesOf(models, model)) ?? []
  return tiers
    .map(({ priority, channels }) => ({
      priority,
      channels: channels.filter(({ operations }) => operations.includes(operation)),
    }))
    .filter(({ channels }) => channels.length > 0)
}

const routesOf = <Routes>(models: ReadonlyMap<string, Routes>, model: string): Routes | undefined =>
  models.get(model) ?? models.get(pricedName(model))

const doesServe = (
  { groups, operations, models }: RoutedChannel,
  { group, model, operation }: Pick<RouteQuestion, 'group' | 'model' | 'operation'>,
): boolean => groups.includes(group) && operations.includes(operation) && isAmong(models, model)

const isAmong = (models: readonly string[], model: string): boolean =>
  models.includes(model) || models.includes(pricedName(model))
