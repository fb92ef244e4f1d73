import { isObject, type JsonObject } from '../../json.ts'

/** A page of the web that an answer as a whole goes back to. */
export interface SearchedPage {
  readonly url: string
  readonly title: string
}

/**
 * Pages that stand beside the choices: Perplexity's `search_results`
 * (docs.perplexity.ai/api-reference/chat-completions-post), else bare addresses as `citations`, which xAI sends, too.
 * Empty where the chunk has neither.
 */
export function searchedPages({
  search_results: results,
  citations,
}: JsonObject): readonly SearchedPage[] {
  const pages = listOf(results)
    .filter(isObject)
    .flatMap(({ url, title }) => pageOf(url, title))
  return pages.length > 0 ? pages : listOf(citations).flatMap((url) => pageOf(url, url))
}

const pageOf = (url: unknown, title: unknown): readonly SearchedPage[] =>
  typeof url === 'string' && url !== ''
    ? [{ url, title: typeof title === 'string' && title !== '' ? title : url }]
    : []

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
