import { catch as orElse, enum as oneOf, object, optional } from 'zod/mini'
import { chosen } from '../../parts/search-params.ts'

/** The tabs of the settings that exist. */
export const TABS = ['operation'] as const

const search = object({ tab: orElse(optional(oneOf(TABS)), undefined) })

/** The settings' address: the tab, `operation` when none is named. */
export interface SettingsSearch {
  readonly tab?: (typeof TABS)[number]
}

/** Reads the address; odd values are left out. */
export function parseSettingsSearch(raw: Record<string, unknown>): SettingsSearch {
  return chosen(search.parse(raw) as SettingsSearch)
}
