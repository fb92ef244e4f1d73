import type { DomainEvent } from '../event.ts'
import type { NoteId } from '../ids.ts'

/** Changes of options; stream `settings`. Secret values are kept in `secrets.options` and only referred to. */
export type SettingsEvent = OptionChanged | LogsCleared | PriceEvent

/** Changes of prices: all options of the price book are changed by these, since before them by OptionChanged. */
export type PriceEvent = PriceBookRevised | PriceRevisionTookEffect | PriceRevisionWithdrawn

export type OptionChanged = DomainEvent<
  'OptionChanged',
  {
    readonly at: number
    readonly key: string
    /** The option's text, as on the wire; null for a secret one. */
    readonly value: string | null
    /** The text before; null for a secret one or when it stood at its default. */
    readonly previous: string | null
    /** As that of a price revision. */
    readonly note: NoteId | null
  }
>
/** Log rows before a moment leave the usage log; the ledger keeps its events. */
export type LogsCleared = DomainEvent<
  'LogsCleared',
  { readonly at: number; readonly before: number }
>

/** One pricing option's text before and after; `previous` null = it stood at its default. */
export interface PriceChange {
  readonly key: string
  readonly value: string
  readonly previous: string | null
}
/**
 * New prices, all of one save at once: in force from this event on when `effectiveAt` is `at`, else planned. The revision
 * that charges name is this event's position.
 */
export type PriceBookRevised = DomainEvent<
  'PriceBookRevised',
  {
    readonly at: number
    /** Counts the revisions of prices from 1; each OptionChanged of a pricing option before was one. */
    readonly number: number
    /** Unix milliseconds, never below `at`. */
    readonly effectiveAt: number
    readonly changes: readonly PriceChange[]
    /** The administrator's own words in `identity.adjustment_notes`, which can be erased; null = none. */
    readonly note: NoteId | null
  }
>
/**
 * A planned revision's time has come; relays applied it already. `changes` are the resulting texts: others' changes
 * between plan and effect stay.
 */
export type PriceRevisionTookEffect = DomainEvent<
  'PriceRevisionTookEffect',
  { readonly at: number; readonly number: number; readonly changes: readonly PriceChange[] }
>
/** A planned revision never comes into force. */
export type PriceRevisionWithdrawn = DomainEvent<
  'PriceRevisionWithdrawn',
  { readonly at: number; readonly number: number }
>

const TYPES: Readonly<Record<SettingsEvent['type'], true>> = {
  OptionChanged: true,
  LogsCleared: true,
  PriceBookRevised: true,
  PriceRevisionTookEffect: true,
  PriceRevisionWithdrawn: true,
}

/** False for events set aside and those of a newer version. */
export const isSettingsEvent = (event: DomainEvent): event is SettingsEvent =>
  Object.hasOwn(TYPES, event.type)
