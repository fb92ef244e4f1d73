import type { ChannelTerms } from '@tollgate/domain/channel/events.ts'
import type { Position } from '@tollgate/domain/event.ts'
import type { ChannelId } from '@tollgate/domain/ids.ts'
import type { ChannelService } from '@tollgate/domain/routing/routing-table.ts'
import type { PlannedRevision } from '@tollgate/domain/settings/state.ts'
import type { TokenFacts } from './facts.ts'

/**
 * The source of facts that the log does not have (secrets) or that the directory does not keep in memory (cold tokens).
 */
export interface DirectorySource {
  /** Channels and options to start from. */
  loadSnapshot(): Promise<DirectorySnapshot>
  /** Keys and proxies, decrypted; a channel that is not in the answer has none (it was deleted). */
  channelSecrets(ids: readonly ChannelId[]): Promise<ReadonlyMap<ChannelId, ChannelSecrets>>
  /** By the key without `sk-`. Fails with TokenLookupUnavailable while the database or the log is unavailable. */
  findToken(key: string): Promise<TokenLookup>
}

export interface ChannelSecrets {
  readonly key: string
  /** '' = none. */
  readonly proxy: string
  /** Where the key may go, as domain/channel/destination.ts has it; null = where the channel led when it was read. */
  readonly destination: string | null
}

export interface DirectorySnapshot {
  /** Every event up to here is in it; following begins after it. Events applied twice do no harm. */
  readonly position: Position
  readonly channels: readonly SnapshotChannel[]
  /** Options that differ from their defaults; without secret ones. */
  readonly options: ReadonlyArray<readonly [key: string, text: string]>
  /** Position of the revision of prices in force by the log; −1 = none yet. */
  readonly priceBookRevision: Position
  readonly plannedPrices: readonly PlannedPrices[]
}

/** A revision of prices whose time is still to come by the log. */
export interface PlannedPrices extends PlannedRevision {
  /** Position of its event, by which charges name it. */
  readonly revision: Position
}

export interface SnapshotChannel {
  readonly id: ChannelId
  readonly service: ChannelService
  readonly terms: ChannelTerms
}

export type TokenLookup =
  | {
      readonly status: 'found'
      readonly token: TokenFacts
      /** Every event up to here is in these facts: an older answer than the last change of the token is not kept. */
      readonly asOf: Position
    }
  /** No token has this key. */
  | { readonly status: 'absent' }
  /** The key is known, but the read has not seen the token's events yet: look it up again. */
  | { readonly status: 'not-yet' }
