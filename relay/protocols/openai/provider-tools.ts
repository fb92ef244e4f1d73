import { searchesEveryTime } from '@tollgate/domain/pricing/tool-price.ts'
import { isObject, type JsonObject } from '../../json.ts'
import { unpricedTool } from '../provider-objects.ts'

/** Tools that the client runs itself, or that cost tokens alone. */
const OWN_TOOLS: ReadonlySet<unknown> = new Set([undefined, null, 'function', 'custom', 'mcp'])

/**
 * Members by which vendors search or read for a model, or let another one answer, at a price of their own: Alibaba's
 * `enable_search`, OpenRouter's `models` and `plugins`, xAI's `search_parameters`.
 */
export const PROVIDER_TOOL_MEMBERS = [
  'enable_search',
  'models',
  'plugins',
  'search_parameters',
] as const

/**
 * Tools of a chat that its provider runs at a price that is unknown here, such as Zhipu's `web_search` and Moonshot's
 * `builtin_function`, each once.
 */
export function providerTools(body: JsonObject): readonly string[] {
  const { tools } = body
  const types = (Array.isArray(tools) ? tools : [])
    .filter(isObject)
    .filter(({ type }) => !OWN_TOOLS.has(type))
    .map(({ type }) => unpricedTool(String(type)))
  const members = PROVIDER_TOOL_MEMBERS.filter((name) => isOn(body[name]))
  return [...new Set([...types, ...members, ...unpricedSearch(body)])]
}

/**
 * OpenAI's search models search every time and are charged for it. Elsewhere, as at OpenRouter and Perplexity, the
 * member makes a model search at the provider's own price.
 */
function unpricedSearch({ model, web_search_options: options }: JsonObject): readonly string[] {
  const isPriced = typeof model === 'string' && searchesEveryTime(model)
  return isOn(options) && !isPriced ? ['web_search_options'] : []
}

function isOn(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (isObject(value)) return value['mode'] !== 'off'
  return value !== undefined && value !== null && value !== false
}
