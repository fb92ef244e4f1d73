import type { Query } from '../../core/api.ts'
import type { RangeSearch } from '../../parts/range/range.ts'
import { boundsOf, rangeOf } from '../../parts/range/range.ts'
import { rangeSearchFields } from '../../parts/range/range-search.ts'
import { count, flag, natural, readSearch, text } from '../../parts/search-params.ts'

const FIELDS = {
  ...rangeSearchFields,
  type: natural,
  token: text,
  model: text,
  group: text,
  channel: count,
  username: text,
  distinct: flag,
  p: count,
  size: count,
  row: text,
}

/** The usage log's address: everything that decides what is in view. */
export interface LogSearch extends RangeSearch {
  /** 0 or absent: all; 1 top-up, 2 consumption, 3 management, 4 system, 5 error (seeds, section 4). */
  readonly type?: number
  readonly token?: string
  readonly model?: string
  readonly group?: string
  readonly channel?: number
  readonly username?: string
  /** One row per user, token, model and channel: the newest (decision 20). */
  readonly distinct?: boolean
  readonly p?: number
  readonly size?: number
  /** The row whose details are open. */
  readonly row?: string
}

/** Reads the address; odd values are left out. */
export function parseLogSearch(raw: Record<string, unknown>): LogSearch {
  return readSearch(raw, FIELDS, { p: 1, type: 0 })
}

/** The filters as the API names them. A model's name means just that model, as a click on it asks; % stands for any text. */
export function logQuery(filters: LogSearch, isAdmin: boolean, nowSeconds: number): Query {
  const { start, end } = boundsOf(rangeOf(filters), nowSeconds)
  return {
    type: filters.type ?? 0,
    start_timestamp: start,
    end_timestamp: end,
    token_name: filters.token,
    model_name: filters.model,
    group: filters.group,
    is_distance: filters.distinct,
    ...(isAdmin ? { channel: filters.channel, username: filters.username } : {}),
  }
}
