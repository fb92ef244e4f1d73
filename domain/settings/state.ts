import type { OptionsView } from './options.ts'
import { optionsFrom } from './options.ts'

/** The settings as their events leave them. */
export interface SettingsState {
  readonly options: OptionsView
  /** Secret options that have a value; the values are not known here. */
  readonly secrets: ReadonlySet<string>
}

export const NO_SETTINGS: SettingsState = { options: optionsFrom([]), secrets: new Set() }
