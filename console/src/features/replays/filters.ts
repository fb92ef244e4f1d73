import type { Filters, ListSearch } from '../../parts/list/filters.ts'
import { listSearchReader } from '../../parts/list/filters.ts'
import { natural, readSearch } from '../../parts/search-params.ts'

/** The list is short: nothing narrows it. */
export const REPLAY_FILTERS = {} as const satisfies Filters

/** The address of the list of replays. */
export type ReplaySearch = ListSearch<typeof REPLAY_FILTERS> & {
  /** The form of a new one asks for the prices of this revision: its position in the log. */
  readonly revision?: number
}

const readList = listSearchReader(REPLAY_FILTERS)

/** Reads the address; odd values are left out. */
export const parseReplaySearch = (raw: Record<string, unknown>): ReplaySearch => ({
  ...readList(raw),
  ...readSearch(raw, { revision: natural }),
})
