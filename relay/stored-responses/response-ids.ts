import { type ChannelId, channelId, type UserId } from '@tollgate/domain/ids.ts'

/** Encrypts texts so that only this installation opens them again. */
export interface Sealing {
  seal(text: string): string
  /** Null = it was not sealed here. */
  open(sealed: string): string | null
}

/** A response that a provider keeps. */
export interface StoredResponse {
  readonly channel: ChannelId
  /** As the provider calls it. */
  readonly id: string
  /** A bound on the tokens of its history and its output: its size as input. */
  readonly tokens: number
}

/**
 * Ids of responses as clients know them. They say where a response lies and whose it is: accounts share a channel's
 * key, so that its provider would give each of them every response.
 */
export class ResponseIds {
  readonly #sealing: Sealing

  constructor(sealing: Sealing) {
    this.#sealing = sealing
  }

  seal(account: UserId, { channel, id, tokens }: StoredResponse): string {
    return PREFIX + this.#sealing.seal(`${channel} ${account} ${Math.ceil(tokens)} ${id}`)
  }

  /** Null for an id that was not given out here, or to another account. */
  open(account: UserId, sealed: string): StoredResponse | null {
    if (!sealed.startsWith(PREFIX) || sealed.length > SEALED_MAX) return null
    const text = this.#sealing.open(sealed.slice(PREFIX.length))
    const [, channel, owner, tokens, id] = /^(\d+) (\d+) (\d+) (.+)$/s.exec(text ?? '') ?? []
    if (id === undefined || owner !== String(account)) return null
    return { channel: channelId(Number(channel)), id, tokens: Number(tokens) }
  }
}

/** As OpenAI's begin. */
const PREFIX = 'resp_'
/** No provider's ids have more than some hundred characters. */
const SEALED_MAX = 2_000
