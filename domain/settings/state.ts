import type { PriceChange } from './events.ts'
import type { OptionsView } from './options.ts'
import { optionsFrom } from './options.ts'

/** The settings as their events leave them. */
export interface SettingsState {
  readonly options: OptionsView
  /** Secret options that have a value; the values are not known here. */
  readonly secrets: ReadonlySet<string>
  readonly prices: PriceRevisions
}

/** Revisions of prices by their numbers. */
export interface PriceRevisions {
  /** Number of the newest, planned or not; 0 = prices stand at their defaults. */
  readonly newest: number
  readonly inForce: number
  readonly planned: readonly PlannedRevision[]
  readonly withdrawn: ReadonlySet<number>
}

/** New prices whose time is still to come. */
export interface PlannedRevision {
  readonly number: number
  /** Unix milliseconds. */
  readonly effectiveAt: number
  readonly changes: readonly PriceChange[]
}

export const NO_SETTINGS: SettingsState = {
  options: optionsFrom([]),
  secrets: new Set(),
  prices: { newest: 0, inForce: 0, planned: [], withdrawn: new Set() },
}
