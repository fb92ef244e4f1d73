import { FREQUENT_EVENT_TYPES } from '@tollgate/domain/account/event-types.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import type { ChannelEvent } from '@tollgate/domain/channel/events.ts'
import {
  LOG_START,
  numberOfStream,
  type Position,
  type RecordedEvent,
  SETTINGS_STREAM,
} from '@tollgate/domain/event.ts'
import { channelId, type ChannelId, userId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { Randomness } from '@tollgate/domain/ports/randomness.ts'
import type { SettingsEvent } from '@tollgate/domain/settings/events.ts'
import type { RelayLog } from '../pipeline/deps.ts'
import { ChannelBook } from './channel-book.ts'
import type {
  ChannelFacts,
  ChannelQuestion,
  RelayDirectory,
  RelaySettings,
  TokenFacts,
  Trial,
} from './facts.ts'
import { FollowedOptions } from './prices.ts'
import { relaySettings } from './relay-settings.ts'
import type { ChannelSecrets, DirectorySource } from './source.ts'
import { TokenCache } from './token-cache.ts'

const FOLLOWED = {
  streamPrefixes: ['account-', 'channel-', 'user-', SETTINGS_STREAM],
  exceptTypes: FREQUENT_EVENT_TYPES,
}
/** Between attempts to read secrets or to follow the log again. */
const RETRY_PAUSE_MS = 500

/** Events of an account that change a token's rights; charges and holds do not. */
const CHANGES_TOKENS: ReadonlySet<AccountEvent['type']> = new Set([
  'AccountOpened',
  'AccountSuspended',
  'AccountResumed',
  'TokenIssued',
  'TokenRevised',
  'TokenEnabled',
  'TokenDisabled',
  'TokenExpired',
  'TokenExhausted',
  'TokenDeleted',
])

export interface DirectoryOptions {
  readonly store: Pick<EventStore, 'subscribeAll'>
  readonly source: DirectorySource
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>
  readonly randomness: Pick<Randomness, 'fraction'>
  readonly log: RelayLog
}

/** The relay's memory of tokens, channels, prices and options: started from a snapshot, then following the log. */
export class FollowingDirectory implements RelayDirectory {
  readonly #options: DirectoryOptions
  readonly #channels = new ChannelBook()
  readonly #tokens: TokenCache
  readonly #stopping = new AbortController()
  readonly #unread = new Set<ChannelId>()
  readonly #followed = new FollowedOptions()
  #settings: RelaySettings
  /** When planned prices come into force next. */
  #settingsUntil = Number.POSITIVE_INFINITY
  #position: Position = LOG_START
  #following: Promise<void> = Promise.resolve()
  #isFollowing = true
  #reading: Promise<void> | null = null

  constructor(options: DirectoryOptions) {
    this.#options = options
    this.#settings = this.#readSettings()
    this.#tokens = new TokenCache(options.source, () => options.clock.monotonicMs())
  }

  /** Loads the snapshot with all channel secrets, then follows the log in the background until `stop`. */
  async start(): Promise<void> {
    const { source } = this.#options
    const snapshot = await source.loadSnapshot()
    this.#followed.reset(snapshot)
    this.#settings = this.#readSettings()
    this.#channels.reset(snapshot.channels)
    const ids = this.#channels.ids
    if (ids.length > 0) this.#learn(ids, await source.channelSecrets(ids))
    this.#position = snapshot.position
    this.#following = this.#follow()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#following
    await this.#reading
  }

  /** False while the log is lost: changes made meanwhile are not known here. */
  get isFollowing(): boolean {
    return this.#isFollowing
  }

  /** How far the log has been followed: events up to here are applied. */
  get position(): Position {
    return this.#position
  }

  /** The settings of this moment: planned prices come into force with the first request of their time. */
  get settings(): RelaySettings {
    const isOver =
      this.#settingsUntil !== Number.POSITIVE_INFINITY &&
      this.#options.clock.now() >= this.#settingsUntil
    if (isOver) this.#settings = this.#readSettings()
    return this.#settings
  }

  findToken(key: string): TokenFacts | null | Promise<TokenFacts | null> {
    return this.#tokens.find(key)
  }

  channel(id: number): ChannelFacts | null {
    return this.#channels.channel(id)
  }

  choose(question: ChannelQuestion): ChannelFacts | null {
    return this.#channels.choose(question, this.#options.randomness.fraction())
  }

  mayTry(question: ChannelQuestion): boolean {
    return this.#channels.mayTry(question)
  }

  beginTrial(question: ChannelQuestion): Trial | null {
    return this.#channels.beginTrial(question)
  }

  modelsOf(group: string): readonly string[] {
    return this.#channels.modelsOf(group)
  }

  isListed(model: string): boolean {
    return this.#channels.isListed(model)
  }

  async #follow(): Promise<void> {
    const { store, log } = this.#options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        for await (const batch of store.subscribeAll(this.#position, FOLLOWED, signal)) {
          for (const event of batch.events) this.#apply(event)
          this.#position = batch.position
          this.#isFollowing = true
        }
      } catch (error) {
        if (signal.aborted) return
        this.#isFollowing = false
        log.error({ err: error }, 'the relay lost the log; it follows again from where it was')
      }
      await pause(RETRY_PAUSE_MS, signal)
    }
  }

  #apply(event: RecordedEvent): void {
    const { stream } = event
    // The beginning of a stream's name says which events the stream holds; the store hands them out untyped.
    if (stream.startsWith('account-')) {
      if (!CHANGES_TOKENS.has(event.type as AccountEvent['type'])) return
      this.#tokens.changed(userId(numberOfStream(stream)), event.position)
    } else if (stream.startsWith('user-')) {
      this.#tokens.changed(userId(numberOfStream(stream)), event.position)
    } else if (stream.startsWith('channel-')) {
      const id = channelId(numberOfStream(stream))
      const needsSecrets = this.#channels.apply(id, event as ChannelEvent & RecordedEvent)
      if (needsSecrets) this.#readSecretsOf(id)
    } else if (stream === SETTINGS_STREAM) {
      this.#followed.apply(event as SettingsEvent & RecordedEvent)
      this.#settings = this.#readSettings()
    }
  }

  #readSettings(): RelaySettings {
    const { options, revision, until } = this.#followed.at(this.#options.clock.now())
    this.#settingsUntil = until
    return relaySettings(options, revision)
  }

  #learn(ids: readonly ChannelId[], found: ReadonlyMap<ChannelId, ChannelSecrets>): void {
    const channels = this.#channels.learn(ids, found)
    if (channels.length === 0) return
    this.#options.log.warn(
      { channels },
      'the keys of these channels were given for another address; they get no request until they are saved with a key',
    )
  }

  #readSecretsOf(id: ChannelId): void {
    this.#unread.add(id)
    this.#reading ??= this.#readSecrets().finally(() => {
      this.#reading = null
    })
  }

  /** Until all are read; meanwhile a channel goes on with the secrets it had. */
  async #readSecrets(): Promise<void> {
    const { source, log } = this.#options
    while (this.#unread.size > 0 && !this.#stopping.signal.aborted) {
      const ids = [...this.#unread]
      this.#unread.clear()
      try {
        const found = await source.channelSecrets(ids)
        // Channels that have changed again meanwhile are read again.
        this.#learn(
          ids.filter((id) => !this.#unread.has(id)),
          found,
        )
      } catch (error) {
        for (const id of ids) this.#unread.add(id)
        log.warn({ err: error, channels: ids }, 'channel secrets could not be read; trying again')
        await pause(RETRY_PAUSE_MS, this.#stopping.signal)
      }
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
}
