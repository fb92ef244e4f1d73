import { isObject, type JsonObject } from '../../json.ts'
import { isSearchCount, type ToolCalls } from '../../metering/openai-usage.ts'

/**
 * The calls of the provider's own tools: those that were seen among the items of the answer, but for a count of
 * searches that the report has. xAI bills those that succeeded, pages that were opened among them, and tells how many
 * they were (docs.x.ai/developers/tools/tool-usage-details).
 */
export function billedCalls(report: JsonObject | null, seen: ToolCalls): ToolCalls {
  const told = report?.['server_side_tool_usage_details']
  const webSearchCalls = isObject(told) ? told['web_search_calls'] : null
  return isSearchCount(webSearchCalls) ? { ...seen, webSearchCalls } : seen
}
