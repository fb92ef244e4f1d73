/** How much context a web search may bring in, as OpenAI's `search_context_size`. */
export type SearchContext = 'low' | 'medium' | 'high'

/** That of a search whose request names none. */
export const DEFAULT_CONTEXT: SearchContext = 'medium'
/** The default first. */
export const SEARCH_CONTEXTS: readonly SearchContext[] = [DEFAULT_CONTEXT, 'low', 'high']

/**
 * Default prices of tools that providers run, in US dollars per 1,000 calls; the option ToolPrices stands over them: web searches
 * by context and model, the large 4o and 4.1 models apart (relay-and-billing 10), Anthropic's at one price
 * (platform.claude.com/docs/en/about-claude/pricing), Google's by the prompt, and since Gemini 3 by the query
 * (ai.google.dev/gemini-api/docs/pricing); xAI's at one price (docs.x.ai/developers/pricing, read on 2026-11-29); file
 * searches at one price whatever the model.
 */
export const TOOL_PRICES = {
  web_search_low: 25,
  web_search_medium: 27.5,
  web_search_high: 30,
  web_search_large_low: 30,
  web_search_large_medium: 35,
  web_search_large_high: 50,
  web_search_claude: 10,
  web_search_gemini: 35,
  web_search_gemini_3: 14,
  web_search_grok: 5,
  file_search: 2.5,
} as const

export type PricedTool = keyof typeof TOOL_PRICES
/** Decimal texts, an entry for every tool. */
export type ToolPrices = Readonly<Record<PricedTool, string>>

/** Prices of the option ToolPrices over the defaults: a tool without an entry is never free. */
export const toolPricesFrom = (given: ReadonlyMap<string, number | string>): ToolPrices =>
  Object.fromEntries(
    Object.entries(TOOL_PRICES).map(([tool, usual]) => [tool, String(given.get(tool) ?? usual)]),
  ) as ToolPrices

/** The entry that a web search is priced by. */
export function webSearchTool(model: string, context: SearchContext): PricedTool {
  if (model.includes('claude')) return 'web_search_claude'
  if (model.includes('gemini')) {
    return searchesByQuery(model) ? 'web_search_gemini_3' : 'web_search_gemini'
  }
  if (model.includes('grok')) return 'web_search_grok'
  const isLarge =
    (model.startsWith('gpt-4o') || model.startsWith('gpt-4.1')) && !model.includes('mini')
  return isLarge ? `web_search_large_${context}` : `web_search_${context}`
}

/** The context at which a model's search has a price; null where it has it at none. */
export const searchContextAt = (
  prices: ToolPrices,
  model: string,
  price: string,
): SearchContext | null =>
  SEARCH_CONTEXTS.find((context) => prices[webSearchTool(model, context)] === price) ?? null

/** Gemini models whose searches are charged by the query: all but those of the first two generations. */
const searchesByQuery = (model: string): boolean =>
  !/gemini-(?:exp-|(?:pro|ultra)(?:-vision)?$|[12](?:[.-]|$))/.test(model)

/** The searches that are charged, by those that upstream tells of: older Gemini models cost one a prompt. */
export function chargedSearches(model: string, told: number): number {
  if (searchesEveryTime(model)) return 1
  return webSearchTool(model, DEFAULT_CONTEXT) === 'web_search_gemini' ? Math.min(1, told) : told
}

/**
 * Chat models that search the web once with every request, without a tool call to count, also under the name of a
 * snapshot (platform.openai.com/docs/guides/tools-web-search: gpt-5-search-api, gpt-4o-search-preview-2025-03-11).
 */
export const searchesEveryTime = (model: string): boolean =>
  /search-(?:preview|api)(?:-\d{4}-\d{2}-\d{2})?$/.test(model)
