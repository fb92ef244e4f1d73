import { isObject, type JsonObject } from '../json.ts'

/** The number of searches to reserve for; a model's number is unknown before. */
const SEARCHES_MAX = 20

/** Searches to reserve for: the least that the client's limits allow, 1 where it sets none; 0 without a tool for it. */
export function searchesIn(tools: unknown, limit: unknown): number {
  const searching = (Array.isArray(tools) ? tools : []).filter(isSearch)
  if (searching.length === 0) return 0
  const limits = [limit, ...searching.map((tool) => tool['max_uses'])].filter(isCount)
  return limits.length === 0 ? 1 : Math.min(SEARCHES_MAX, ...limits)
}

const isSearch = (tool: unknown): tool is JsonObject =>
  isObject(tool) && /^(?:web|file)_search/.test(String(tool['type']))

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0
