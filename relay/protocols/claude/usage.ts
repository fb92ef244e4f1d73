import { isObject, type JsonObject } from '../../json.ts'
import { readUsage, type ReportedUsage } from '../../metering/openai-usage.ts'

/** More searches than any answer has: such a count is not believed. */
const SEARCHES_MAX = 10_000

/**
 * Reads a report of Anthropic's, also one without the members that identify it. Searches of the web are counted by it
 * alone.
 */
export function readClaudeUsage(report: JsonObject | null): ReportedUsage {
  const usage = readUsage(report === null ? null : { cache_read_input_tokens: 0, ...report }, [])
  const run = report?.['server_tool_use']
  const webSearchCalls = isObject(run) ? run['web_search_requests'] : 0
  return isCount(webSearchCalls)
    ? { ...usage, calls: { webSearchCalls, fileSearchCalls: 0 } }
    : usage
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= SEARCHES_MAX
