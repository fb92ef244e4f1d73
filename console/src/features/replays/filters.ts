import type { Filters, ListSearch } from '../../parts/list/filters.ts'
import { listSearchReader } from '../../parts/list/filters.ts'

/** The list is short: nothing narrows it. */
export const REPLAY_FILTERS = {} as const satisfies Filters

/** The address of the list of replays. */
export type ReplaySearch = ListSearch<typeof REPLAY_FILTERS>

/** Reads the address; odd values are left out. */
export const parseReplaySearch = listSearchReader(REPLAY_FILTERS)
