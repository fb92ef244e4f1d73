import type { Position } from '@tollgate/domain/event.ts'
import type { UserId } from '@tollgate/domain/ids.ts'
import { LRUCache } from 'lru-cache'
import type { TokenFacts } from './facts.ts'
import { TokenLookupUnavailable } from './token-lookup-unavailable.ts'
import type { DirectorySource, TokenLookup } from './source.ts'

/** Tokens in use at once by one relay; beyond it the one unused for longest is looked up again. */
const TOKENS_MAX = 50_000
/** Facts without events (the user's setting for models without a price) are looked up again after this long. */
const TOKEN_MS = 60_000
/** Keys that do not exist are remembered so that guessing does not reach the database; briefly, bounded. */
const ABSENT_MAX = 10_000
const ABSENT_MS = 1_000
/** Users whose last change is remembered to tell a stale look-up; read models lag by seconds at most. */
const CHANGED_USERS_MAX = 100_000
/** Look-ups at once; more wait. Keeps a flood of unknown keys from taking every database connection. */
const LOOKUPS_MAX = 32
/** Look-ups that wait for their turn; beyond it they are turned away at once, or memory would grow with a flood. */
const WAITING_MAX = 1_000
/** How long a look-up that is behind the log is repeated, and how often. */
const PATIENCE_MS = 2_000
const PAUSE_MS = 20

/**
 * Tokens by key, looked up once and dropped when anything happens to the token or its owner. A look-up that was
 * overtaken by a change, or that read from behind one, is repeated. An entry that was looked up long ago is refreshed
 * beside the requests: none waits for it, and none is refused while the database is unavailable.
 */
export class TokenCache {
  readonly #source: Pick<DirectorySource, 'findToken'>
  readonly #now: () => number
  readonly #tokens: LRUCache<string, TokenFacts>
  readonly #keysOfUser = new Map<UserId, Set<string>>()
  readonly #absent = new LRUCache<string, true>({ max: ABSENT_MAX, ttl: ABSENT_MS })
  readonly #changed = new LRUCache<UserId, Position>({ max: CHANGED_USERS_MAX })
  readonly #lookups = new Map<string, Promise<TokenFacts | null>>()
  readonly #queue: Array<() => void> = []
  #running = 0

  /** `now`: monotonic milliseconds. */
  constructor(source: Pick<DirectorySource, 'findToken'>, now: () => number) {
    this.#source = source
    this.#now = now
    this.#tokens = new LRUCache({
      max: TOKENS_MAX,
      ttl: TOKEN_MS,
      allowStale: true,
      noDeleteOnStaleGet: true,
      perf: { now },
      dispose: ({ user }, key) => this.#forgetKey(user.id, key),
    })
  }

  /** Rejects with TokenLookupUnavailable when the key cannot be judged now. */
  find(key: string): TokenFacts | null | Promise<TokenFacts | null> {
    const known = this.#tokens.get(key)
    if (known !== undefined) {
      if (this.#tokens.getRemainingTTL(key) <= 0) this.#refresh(key)
      return known
    }
    if (this.#absent.has(key)) return null
    return this.#lookedUp(key)
  }

  /** A failure reaches no caller: the next request tries again. */
  #refresh(key: string): void {
    if (!this.#lookups.has(key)) this.#lookedUp(key).catch(() => undefined)
  }

  #lookedUp(key: string): Promise<TokenFacts | null> {
    const running = this.#lookups.get(key)
    if (running !== undefined) return running
    if (this.#queue.length >= WAITING_MAX) {
      return Promise.reject(new TokenLookupUnavailable('too many keys are being looked up'))
    }
    const lookup = this.#lookUp(key).finally(() => this.#lookups.delete(key))
    this.#lookups.set(key, lookup)
    return lookup
  }

  /** Something happened to the user, the account or one of its tokens. */
  changed(user: UserId, position: Position): void {
    this.#changed.set(user, position)
    for (const key of this.#keysOfUser.get(user) ?? []) this.#tokens.delete(key)
  }

  async #lookUp(key: string): Promise<TokenFacts | null> {
    await this.#turn()
    try {
      return await this.#lookUpFresh(key)
    } finally {
      this.#running -= 1
      this.#queue.shift()?.()
    }
  }

  async #lookUpFresh(key: string): Promise<TokenFacts | null> {
    const until = this.#now() + PATIENCE_MS
    for (;;) {
      const found = await this.#source.findToken(key)
      if (found.status === 'absent') {
        this.#absent.set(key, true)
        this.#tokens.delete(key)
        return null
      }
      if (found.status === 'found' && this.#isFresh(found)) {
        this.#remember(key, found.token)
        return found.token
      }
      if (this.#now() >= until) {
        throw new TokenLookupUnavailable('what is known of the token is older than its last change')
      }
      await pause(PAUSE_MS)
    }
  }

  #isFresh({ token, asOf }: Extract<TokenLookup, { status: 'found' }>): boolean {
    return asOf >= (this.#changed.get(token.user.id) ?? -1)
  }

  #remember(key: string, token: TokenFacts): void {
    this.#tokens.set(key, token)
    const keys = this.#keysOfUser.get(token.user.id)
    if (keys === undefined) this.#keysOfUser.set(token.user.id, new Set([key]))
    else keys.add(key)
  }

  #forgetKey(user: UserId, key: string): void {
    const keys = this.#keysOfUser.get(user)
    keys?.delete(key)
    if (keys?.size === 0) this.#keysOfUser.delete(user)
  }

  async #turn(): Promise<void> {
    if (this.#running >= LOOKUPS_MAX) {
      await new Promise<void>((resolve) => {
        this.#queue.push(resolve)
      })
    }
    this.#running += 1
  }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
