/** How much context a web search may bring in, as OpenAI's `search_context_size`. */
export type SearchContext = 'low' | 'medium' | 'high'

/**
 * US dollars per 1,000 web searches (relay-and-billing 10): the large 4o and 4.1 models cost more, Anthropic's one price
 * (platform.claude.com/docs/en/about-claude/pricing).
 */
export function webSearchPrice(model: string, context: SearchContext): string {
  if (model.includes('claude')) return CLAUDE
  const isLarge =
    (model.startsWith('gpt-4o') || model.startsWith('gpt-4.1')) && !model.includes('mini')
  return (isLarge ? LARGE_MODEL : OTHER_MODEL)[context]
}

/** US dollars per 1,000 file searches, whatever the model. */
export const FILE_SEARCH_PRICE = '2.5'

/** Chat models that search the web once with every request, without a tool call to count. */
export const searchesEveryTime = (model: string): boolean => model.endsWith('search-preview')

const CLAUDE = '10'
const LARGE_MODEL = { low: '30', medium: '35', high: '50' } as const
const OTHER_MODEL = { low: '25', medium: '27.5', high: '30' } as const
