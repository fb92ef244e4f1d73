import type { UserId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type {
  AccountThoughts,
  KeptThought,
  KeptThoughts,
  ThoughtFamily,
} from '../protocols/chat/kept-thought.ts'

/** As long as a loop of tools takes, and pauses of its user. */
const KEPT_MS = 60 * 60 * 1_000
/** No id of a call is longer. */
const ID_MAX = 256
const DEFAULTS: ThoughtBounds = {
  // The longest thoughts of models have about 64,000 tokens.
  entryBytesMax: 256 * 1024,
  accountBytesMax: 4 * 1024 * 1024,
  accountEntriesMax: 1_000,
  bytesMax: 64 * 1024 * 1024,
}

/** Bounds of the thoughts kept in this process. Bytes are those of the texts, two a character. */
interface ThoughtBounds {
  readonly entryBytesMax: number
  readonly accountBytesMax: number
  readonly accountEntriesMax: number
  readonly bytesMax: number
}

interface Entry {
  readonly thought: KeptThought
  readonly bytes: number
  readonly untilMs: number
}

/** In the order in which they were kept. */
interface AccountEntries {
  readonly entries: Map<string, Entry>
  bytes: number
}

/**
 * Thoughts behind calls of tools, for clients that do not send them back. Kept for an hour in this process alone: where
 * another relay continues the conversation, they are lost. Beyond the account's bounds the account's own oldest are
 * dropped; beyond those of the process, the oldest of the account that kept nothing for the longest time.
 */
export class ThoughtKeep {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #bounds: ThoughtBounds
  /** The one that kept something last stands last. */
  readonly #accounts = new Map<UserId, AccountEntries>()
  #bytes = 0

  constructor(clock: Pick<Clock, 'monotonicMs'>, bounds: Partial<ThoughtBounds> = {}) {
    this.#clock = clock
    this.#bounds = { ...DEFAULTS, ...bounds }
  }

  /** All that is kept, of all accounts. */
  get bytes(): number {
    return this.#bytes
  }

  /** The kept thoughts of one account: nothing of another's is ever found by it. */
  of(account: UserId): AccountThoughts {
    return {
      keep: (family, call, thought) => this.#keep(account, keyOf(family, call), thought),
      find: (family, calls) => this.#find(account, family, calls),
    }
  }

  #keep(account: UserId, key: string, thought: KeptThought): void {
    const bytes = bytesOf(key, thought)
    const { entryBytesMax, accountBytesMax, accountEntriesMax, bytesMax } = this.#bounds
    if (bytes > entryBytesMax || key.length > ID_MAX) return
    const own = this.#accounts.get(account) ?? { entries: new Map<string, Entry>(), bytes: 0 }
    this.#drop(account, own, key)
    this.#accounts.delete(account)
    this.#accounts.set(account, own)
    own.entries.set(key, { thought, bytes, untilMs: this.#clock.monotonicMs() + KEPT_MS })
    own.bytes += bytes
    this.#bytes += bytes
    while (own.bytes > accountBytesMax || own.entries.size > accountEntriesMax) {
      this.#dropOldest(account, own)
    }
    this.#dropExpired()
    while (this.#bytes > bytesMax) this.#dropOldest(...this.#longestIdle())
  }

  #find(account: UserId, family: ThoughtFamily, calls: readonly string[]): KeptThoughts {
    const own = this.#accounts.get(account)
    if (own === undefined) return new Map()
    const now = this.#clock.monotonicMs()
    return new Map(
      calls.flatMap((call) => {
        const entry = own.entries.get(keyOf(family, call))
        return entry === undefined || entry.untilMs <= now ? [] : [[call, entry.thought] as const]
      }),
    )
  }

  /** Drops all that is too old of the account that kept nothing for the longest time. */
  #dropExpired(): void {
    const now = this.#clock.monotonicMs()
    const [account, own] = this.#longestIdle()
    for (const [key, { untilMs }] of own.entries) {
      if (untilMs > now) return
      this.#drop(account, own, key)
    }
  }

  #longestIdle(): readonly [UserId, AccountEntries] {
    const { value } = this.#accounts.entries().next()
    if (value === undefined) throw new TypeError('nothing is kept')
    return value
  }

  #dropOldest(account: UserId, own: AccountEntries): void {
    const { value } = own.entries.keys().next()
    if (value !== undefined) this.#drop(account, own, value)
  }

  #drop(account: UserId, own: AccountEntries, key: string): void {
    const entry = own.entries.get(key)
    if (entry === undefined) return
    own.entries.delete(key)
    own.bytes -= entry.bytes
    this.#bytes -= entry.bytes
    if (own.entries.size === 0) this.#accounts.delete(account)
  }
}

const keyOf = (family: ThoughtFamily, call: string): string => `${family}:${call}`

const bytesOf = (key: string, { blocks, signature }: KeptThought): number =>
  2 *
  blocks.reduce(
    (sum, block) =>
      sum +
      (block.type === 'redacted' ? block.data.length : block.text.length + block.signature.length),
    key.length + signature.length,
  )
