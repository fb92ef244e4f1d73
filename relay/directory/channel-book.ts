import type { ChannelEvent, ChannelTerms } from '@tollgate/domain/channel/events.ts'
import { channelId, type ChannelId } from '@tollgate/domain/ids.ts'
import { chooseChannel, isServed } from '@tollgate/domain/routing/choose-channel.ts'
import {
  modelsOf,
  NO_ROUTES,
  type RoutingTable,
  routingTableFrom,
  withChannel,
  withoutChannel,
} from '@tollgate/domain/routing/routing-table.ts'
import { channelFacts } from './channel-facts.ts'
import type { ChannelFacts, ChannelQuestion } from './facts.ts'
import type { ChannelSecrets, SnapshotChannel } from './source.ts'

interface Entry {
  readonly terms: ChannelTerms
  readonly isEnabled: boolean
  /** Null until they were read: the channel gets no request before. */
  readonly secrets: ChannelSecrets | null
}

/** All channels and the routes over them, changed one event at a time. */
export class ChannelBook {
  readonly #entries = new Map<ChannelId, Entry>()
  readonly #facts = new Map<ChannelId, ChannelFacts>()
  #routes: RoutingTable = NO_ROUTES

  /** Begins with these channels; secrets follow by `learn`. */
  reset(channels: readonly SnapshotChannel[]): void {
    this.#entries.clear()
    this.#facts.clear()
    for (const { id, terms, isEnabled } of channels) {
      this.#entries.set(id, { terms, isEnabled, secrets: null })
    }
    this.#routes = NO_ROUTES
  }

  /** Takes secrets as read; channels without any are not routed to. */
  learn(asked: readonly ChannelId[], found: ReadonlyMap<ChannelId, ChannelSecrets>): void {
    for (const id of asked) {
      const entry = this.#entries.get(id)
      if (entry === undefined) continue
      this.#entries.set(id, { ...entry, secrets: found.get(id) ?? null })
      this.#refreshFacts(id)
    }
    this.#routes = routingTableFrom([...this.#entries.keys()].map((id) => this.#routed(id)))
  }

  /** Applies an event; true when the channel's secrets have to be read (again). */
  apply(id: ChannelId, event: ChannelEvent): boolean {
    const entry = this.#entries.get(id)
    switch (event.type) {
      case 'ChannelAdded':
      case 'ChannelRevised': {
        const { at: _at, ...terms } = event.data
        const isEnabled = entry?.isEnabled ?? event.type === 'ChannelAdded'
        this.#set(id, { terms, isEnabled, secrets: entry?.secrets ?? null })
        return true
      }
      case 'ChannelKeyReplaced':
        return true
      case 'ChannelEnabled':
      case 'ChannelAutoEnabled':
        if (entry !== undefined) this.#set(id, { ...entry, isEnabled: true })
        return false
      case 'ChannelDisabled':
      case 'ChannelAutoDisabled':
        if (entry !== undefined) this.#set(id, { ...entry, isEnabled: false })
        return false
      case 'ChannelDeleted':
        this.#entries.delete(id)
        this.#facts.delete(id)
        this.#routes = withoutChannel(this.#routes, id)
        return false
      case 'ChannelTested':
      case 'ChannelBalanceRead':
        return false
      default:
        return event satisfies never
    }
  }

  get ids(): readonly ChannelId[] {
    return [...this.#entries.keys()]
  }

  channel(id: number): ChannelFacts | null {
    return this.#facts.get(channelId(id)) ?? null
  }

  choose(question: ChannelQuestion, random: number): ChannelFacts | null {
    const id = chooseChannel(this.#routes, { ...question, random })
    return id === null ? null : (this.#facts.get(id) ?? null)
  }

  modelsOf(group: string): readonly string[] {
    return modelsOf(this.#routes, [group])
  }

  isServed(model: string): boolean {
    for (const group of this.#routes.groups.keys()) {
      if (isServed(this.#routes, group, model)) return true
    }
    return false
  }

  #set(id: ChannelId, entry: Entry): void {
    this.#entries.set(id, entry)
    this.#refreshFacts(id)
    this.#routes = withChannel(this.#routes, this.#routed(id))
  }

  #refreshFacts(id: ChannelId): void {
    const entry = this.#entries.get(id)
    const facts =
      entry === undefined || entry.secrets === null
        ? null
        : channelFacts({ id, terms: entry.terms, isEnabled: entry.isEnabled, ...entry.secrets })
    if (facts === null) this.#facts.delete(id)
    else this.#facts.set(id, facts)
  }

  #routed(id: ChannelId): Parameters<typeof withChannel>[1] {
    const entry = this.#entries.get(id)
    const { models = [], groups = [], priority = 0, weight = 0 } = entry?.terms ?? {}
    const isEnabled = entry?.isEnabled === true && this.#facts.has(id)
    return { id, isEnabled, models, groups, priority, weight }
  }
}
