import type { ParseKeys } from 'i18next'
import type { Query } from '../../core/api.ts'
import type { RangeSearch } from '../range/range.ts'
import { boundsOf, rangeOf } from '../range/range.ts'
import { rangeSearchFields } from '../range/range-search.ts'
import type { Reader } from '../search-params.ts'
import { chosen, count, flag, natural, readSearch, text } from '../search-params.ts'

/**
 * The things that a filter suggests by name while one types. `userId`, `tokenId` and `channel` keep the id of the
 * chosen one.
 */
export type Suggested = 'group' | 'user' | 'userId' | 'model' | 'token' | 'tokenId' | 'channel'

/**
 * One filter of a list, declared once: its reader of the address, its chip, its member of the API's query. `words` are
 * any text, entered behind a chip; a `moment` is in unix seconds; `range` stands for the three fields of a span of time
 * and is called `range`; `choice` is `one` whose values are numbers.
 */
export interface Filter {
  readonly kind:
    | 'text'
    | 'words'
    | 'count'
    | 'amount'
    | 'moment'
    | 'one'
    | 'choice'
    | 'flag'
    | 'range'
    | Suggested
  readonly label: ParseKeys
  /** The text below the field: what may be typed. */
  readonly help?: ParseKeys
  /** The API's name; the filter's own unless said otherwise. */
  readonly api?: string
  /** For `one` and `choice`; of a `flag` what `true` and '' mean. The value '' stands for no filter. */
  readonly options?: readonly { readonly value: string; readonly label: ParseKeys }[]
  /** Only administrators have it. */
  readonly isAdmin?: true
}

/** The filters of a list by their names in the address, in order. */
export type Filters = Readonly<Record<string, Filter>>

type ValueOf<One extends Filter> = One['kind'] extends
  | 'count'
  | 'amount'
  | 'moment'
  | 'choice'
  | 'userId'
  | 'tokenId'
  | 'channel'
  ? number
  : One['kind'] extends 'flag'
    ? true
    : string

/** The state of a list in the address, beside its filters. */
export interface ListState {
  /** From 1. */
  readonly p?: number
  readonly size?: number
  /** A column, upwards; with a minus, downwards. */
  readonly sort?: string
  /** The row whose panel is open; `first` and `last` are those of the page. */
  readonly row?: string
  /** When that row was written, unix seconds: where a list finds its rows by time. */
  readonly at?: number
  /** Where this page begins in a list that is read from a cursor on. */
  readonly after?: string
  /** The row whose form is open. */
  readonly edit?: number
  /** The form of a new one is open. */
  readonly add?: true
}

/** The address of any list: its state, and what its filters hold by `valueOf`. */
export type AnySearch = ListState & RangeSearch

/** The address of a list with these filters. */
export type ListSearch<All extends Filters> = AnySearch & {
  readonly [Key in Exclude<keyof All, 'range'>]?: ValueOf<All[Key]>
}

const STATE = {
  p: count,
  size: count,
  sort: text,
  row: text,
  at: natural,
  after: text,
  edit: count,
  add: flag,
}

const READERS: Readonly<Record<Filter['kind'], Reader<unknown>>> = {
  text,
  words: text,
  count: natural,
  amount: natural,
  moment: natural,
  one: text,
  choice: natural,
  flag,
  range: text,
  group: text,
  user: text,
  userId: count,
  model: text,
  token: text,
  tokenId: count,
  channel: count,
}

/** Reads the address of a list; what is odd is left out. */
export function listSearchReader<const All extends Filters>(filters: All) {
  const own = Object.entries(filters).map(([key, filter]) => [key, readerOf(filter)] as const)
  const fields = {
    ...STATE,
    ...Object.fromEntries(own),
    ...('range' in filters ? rangeSearchFields : {}),
  }
  return (raw: Record<string, unknown>): ListSearch<All> =>
    readSearch(raw, fields, { p: 1 }) as ListSearch<All>
}

function readerOf({ kind, options }: Filter): Reader<unknown> {
  const read = READERS[kind]
  if (!options) return read
  return (raw) => {
    const value = read(raw)
    return options.some((option) => option.value === String(value)) ? value : undefined
  }
}

/** The filters as the API names them, at a moment. What is for administrators is left out for others. */
export function listQuery(
  filters: Filters,
  search: AnySearch,
  { isAdmin, nowSeconds }: { readonly isAdmin: boolean; readonly nowSeconds: number },
): Query {
  const query: Record<string, string | number | boolean | undefined> = {}
  for (const [key, filter] of Object.entries(filters)) {
    if (filter.isAdmin && !isAdmin) continue
    if (filter.kind === 'range') {
      const { start, end } = boundsOf(rangeOf(search), nowSeconds)
      query['start_timestamp'] = start
      query['end_timestamp'] = end
    } else query[filter.api ?? key] = valueOf(search, key)
  }
  return query
}

/** The filters alone: what a saved view keeps, and what a change of a filter goes on from. */
export function filtersOf(search: AnySearch): AnySearch {
  const {
    p: _,
    size: __,
    row: ___,
    at: ____,
    edit: _____,
    add: ______,
    after: _7,
    ...filters
  } = search
  return filters
}

/** How many filters hold something. */
export function filtersSet(filters: Filters, search: AnySearch): number {
  return Object.entries(filters).filter(([key, { kind }]) =>
    kind === 'range' ? rangeOf(search).type !== 'all' : valueOf(search, key) !== undefined,
  ).length
}

/** The search after a filter was changed: back on the first page, without an open row. */
export function filtered<Search extends AnySearch>(search: Search, change: object): Search {
  const { p: _, row: __, at: ___, edit: ____, add: _____, after: ______, ...kept } = search
  return chosen({ ...kept, ...change }) as Search
}

/** The value of a filter, as the address has it. */
export function valueOf(search: AnySearch, key: string): string | number | boolean | undefined {
  return (search as Readonly<Record<string, string | number | boolean | undefined>>)[key]
}
