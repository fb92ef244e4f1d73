import { destinationOf, mayFollow } from '@tollgate/domain/channel/destination.ts'
import type { ChannelEvent, ChannelTerms } from '@tollgate/domain/channel/events.ts'
import { channelId, type ChannelId } from '@tollgate/domain/ids.ts'
import { chooseChannel, chooseTrial, isListed } from '@tollgate/domain/routing/choose-channel.ts'
import {
  type ChannelService,
  modelsOf,
  NO_ROUTES,
  type RoutingTable,
  routingTableFrom,
  withChannel,
  withoutChannel,
} from '@tollgate/domain/routing/routing-table.ts'
import { nativelyServedBy } from '../channel-fit.ts'
import { servedBy } from '../channel-types.ts'
import { channelFacts } from './channel-facts.ts'
import type { ChannelFacts, ChannelQuestion, Trial } from './facts.ts'
import type { ChannelSecrets, SnapshotChannel } from './source.ts'
import { Trials } from './trials.ts'

interface Entry {
  readonly terms: ChannelTerms
  readonly service: ChannelService
  /** Null until they were read: the channel gets no request before. The key goes where it may and nowhere else. */
  readonly secrets: (ChannelSecrets & { readonly destination: string }) | null
}

/** All channels and the routes over them, changed one event at a time. */
export class ChannelBook {
  readonly #entries = new Map<ChannelId, Entry>()
  readonly #facts = new Map<ChannelId, ChannelFacts>()
  readonly #trials = new Trials()
  #routes: RoutingTable = NO_ROUTES

  /** Begins with these channels; secrets follow by `learn`. */
  reset(channels: readonly SnapshotChannel[]): void {
    this.#entries.clear()
    this.#facts.clear()
    for (const { id, terms, service } of channels) {
      this.#entries.set(id, { terms, service, secrets: null })
    }
    this.#routes = NO_ROUTES
  }

  /** Takes secrets as read; channels without any are not routed to, nor those with a key for elsewhere, which it answers. */
  learn(
    asked: readonly ChannelId[],
    found: ReadonlyMap<ChannelId, ChannelSecrets>,
  ): readonly ChannelId[] {
    const unroutable: ChannelId[] = []
    for (const id of asked) {
      const entry = this.#entries.get(id)
      if (entry === undefined) continue
      const secrets = found.get(id)
      const destination = secrets?.destination ?? destinationOf(entry.terms)
      this.#entries.set(id, { ...entry, secrets: secrets ? { ...secrets, destination } : null })
      if (!mayFollow(destination, entry.terms)) unroutable.push(id)
      this.#facts.delete(id)
      this.#refreshFacts(id)
    }
    this.#routes = routingTableFrom([...this.#entries.keys()].map((id) => this.#routed(id)))
    return unroutable
  }

  /** Applies an event; true when the channel's secrets have to be read (again). */
  apply(id: ChannelId, event: ChannelEvent): boolean {
    const entry = this.#entries.get(id)
    switch (event.type) {
      case 'ChannelAdded':
      case 'ChannelRevised': {
        const { at: _at, ...terms } = event.data
        const service = entry?.service ?? (event.type === 'ChannelAdded' ? 'full' : 'none')
        this.#set(id, { terms, service, secrets: entry?.secrets ?? null })
        return true
      }
      case 'ChannelKeyReplaced':
        return true
      case 'ChannelEnabled':
      case 'ChannelAutoEnabled':
        this.#serve(id, 'full')
        return false
      case 'ChannelHalfOpened':
        this.#serve(id, 'trial')
        return false
      case 'ChannelDisabled':
      case 'ChannelAutoDisabled':
      case 'ChannelTrialFailed':
        this.#serve(id, 'none')
        return false
      case 'ChannelDeleted':
        this.#entries.delete(id)
        this.#facts.delete(id)
        this.#trials.statusChanged(id)
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

  mayTry(question: ChannelQuestion): boolean {
    return this.#trialFor(question) !== null
  }

  beginTrial(question: ChannelQuestion): Trial | null {
    const channel = this.#trialFor(question)
    return channel && { channel, giveBack: this.#trials.begin(channel.id) }
  }

  isListed(model: string): boolean {
    return isListed(this.#routes, model)
  }

  #trialFor(question: ChannelQuestion): ChannelFacts | null {
    const id = chooseTrial(this.#routes, question, (one) => this.#trials.isFree(one))
    return id === null ? null : (this.#facts.get(id) ?? null)
  }

  #serve(id: ChannelId, service: ChannelService): void {
    this.#trials.statusChanged(id)
    const entry = this.#entries.get(id)
    if (entry !== undefined) this.#set(id, { ...entry, service })
  }

  #set(id: ChannelId, entry: Entry): void {
    this.#entries.set(id, entry)
    this.#refreshFacts(id)
    this.#routes = withChannel(this.#routes, this.#routed(id))
  }

  /** A channel that moves is served where it was until the key for its new place is read. */
  #refreshFacts(id: ChannelId): void {
    const entry = this.#entries.get(id)
    const isEnabled = entry?.service === 'full'
    const known = this.#facts.get(id)
    if (entry?.secrets && !mayFollow(entry.secrets.destination, entry.terms)) {
      if (known !== undefined) this.#facts.set(id, { ...known, isEnabled })
      return
    }
    const facts = entry?.secrets
      ? channelFacts({ id, terms: entry.terms, isEnabled, ...entry.secrets })
      : null
    if (facts === null) this.#facts.delete(id)
    else this.#facts.set(id, facts)
  }

  #routed(id: ChannelId): Parameters<typeof withChannel>[1] {
    const entry = this.#entries.get(id)
    const { models = [], groups = [], priority = 0, weight = 0 } = entry?.terms ?? {}
    const service = entry !== undefined && this.#facts.has(id) ? entry.service : 'none'
    const operations = entry === undefined ? [] : servedBy(entry.terms.type)
    const native = entry === undefined ? [] : nativelyServedBy(entry.terms)
    return { id, service, models, operations, native, groups, priority, weight }
  }
}
