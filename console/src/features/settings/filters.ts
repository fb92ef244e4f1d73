import { oneOf, readSearch } from '../../parts/search-params.ts'

/** The tabs of the settings that exist. */
export const TABS = ['operation'] as const

/** The settings' address: the tab, `operation` when none is named. */
export interface SettingsSearch {
  readonly tab?: (typeof TABS)[number]
}

/** Reads the address; odd values are left out. */
export function parseSettingsSearch(raw: Record<string, unknown>): SettingsSearch {
  return readSearch(raw, { tab: oneOf(TABS) })
}
