import { flag, oneOf, readSearch, text } from '../../parts/search-params.ts'

/** The tabs of the settings, in the order of the seeds. */
export const TABS = ['operation', 'ratelimit', 'models', 'system', 'other'] as const
/** One of the tabs. */
export type Tab = (typeof TABS)[number]

/** The ways to set model prices: their JSON, a table of all models, the models that have none. */
export const PRICE_VIEWS = ['json', 'visual', 'unset'] as const
/** One of the ways to set model prices. */
export type PriceView = (typeof PRICE_VIEWS)[number]

/** The settings' address: the tab (`operation` when none is named), words to look for, and the view of prices. */
export interface SettingsSearch {
  readonly tab?: Tab
  readonly prices?: PriceView
  readonly q?: string | undefined
  readonly changed?: true | undefined
}

/** Reads the address; odd values are left out. */
export function parseSettingsSearch(raw: Record<string, unknown>): SettingsSearch {
  return readSearch(raw, { tab: oneOf(TABS), prices: oneOf(PRICE_VIEWS), q: text, changed: flag })
}
