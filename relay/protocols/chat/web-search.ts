import { DEFAULT_CONTEXT, type SearchContext } from '@tollgate/domain/pricing/tool-price.ts'
import { isObject, type JsonObject } from '../../json.ts'

/** A search of the web that the provider runs for its model, in no protocol's words. */
export interface WebSearch {
  /** The member that asks for it, as the client calls it. */
  readonly param: string
  /** How often the model may search; null = as often as it likes. */
  readonly maxUses: number | null
  /** Where alone it may search; empty = anywhere. */
  readonly allowedDomains: readonly string[]
  readonly blockedDomains: readonly string[]
  /** Where about the user is; null = not told. */
  readonly location: SearchLocation | null
  readonly context: SearchContext
  /** It stands beside tools of the client and need not be used: a provider without a search leaves it out. */
  readonly isOffer?: true
}

const PLACES = ['city', 'region', 'country', 'timezone'] as const
export type SearchLocation = Readonly<Partial<Record<(typeof PLACES)[number], string>>>

/** A search without a limit. */
export const searchBy = (param: string): WebSearch => ({
  param,
  maxUses: null,
  allowedDomains: [],
  blockedDomains: [],
  location: null,
  context: DEFAULT_CONTEXT,
})

/** Reads an approximate location; null when the request has none. */
export function locationIn(value: unknown): SearchLocation | null {
  if (!isObject(value)) return null
  const known = PLACES.map((name) => [name, value[name]] as const)
  const told = known.filter(([, place]) => typeof place === 'string' && place !== '')
  return told.length === 0 ? null : Object.fromEntries(told)
}

/** How much context a search may bring in, as OpenAI's clients say it. */
export const contextOf = (size: unknown): SearchContext =>
  size === 'low' || size === 'high' ? size : DEFAULT_CONTEXT

/** Reads a list of domains; none where it is no list. */
export const domainsIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : []).filter((domain) => typeof domain === 'string')

/** The first member of a tool that asks for something else than is read here; null = there is none. */
export const unreadMember = (tool: JsonObject, read: ReadonlySet<string>): string | null =>
  Object.entries(tool).find(([name, value]) => !read.has(name) && value !== null)?.[0] ?? null
