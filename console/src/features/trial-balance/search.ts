import { natural, readSearch } from '../../parts/search-params.ts'

const FIELDS = { at: natural, position: natural }

/** The address: as of which moment (unix seconds), or up to which position; neither = now. */
export type TrialBalanceSearch = ReturnType<typeof parseTrialBalanceSearch>

/** Reads the address; odd values are left out. */
export const parseTrialBalanceSearch = (raw: Record<string, unknown>) => readSearch(raw, FIELDS)
