import { isObject, type JsonObject } from '../../json.ts'
import { isSearchCount, readUsage, type ReportedUsage } from '../../metering/openai-usage.ts'

/**
 * Reads a report of Anthropic's, also one without the members that identify it. Searches of the web are counted by it
 * alone. Of a refusal that is not billed, only the iterations that are billed apart count.
 */
export function readClaudeUsage(report: JsonObject | null, isUnbilled = false): ReportedUsage {
  const counted = report === null ? null : withApart(report, isUnbilled)
  const billed = counted === null ? null : { cache_read_input_tokens: 0, ...counted }
  const usage = readUsage(billed, [])
  const run = report?.['server_tool_use']
  const webSearchCalls = isObject(run) ? run['web_search_requests'] : 0
  return isSearchCount(webSearchCalls)
    ? { ...usage, calls: { webSearchCalls, fileSearchCalls: 0 } }
    : usage
}

/**
 * Whether an answer that has no content is a refusal that Anthropic does not bill, though it reports its tokens. The
 * rule holds on every platform (platform.claude.com/docs/en/build-with-claude/refusals-and-fallback, "How refusals are
 * billed", as of September 2026); a refusal amid an answer is billed.
 */
export const isUnbilledRefusal = ({ stop_reason, stop_details: details }: JsonObject): boolean =>
  stop_reason === 'refusal' && !(isObject(details) && BILLED_REFUSALS.has(details['category']))

/** Categories of refusals with few false positives, which are billed like any request. */
const BILLED_REFUSALS: ReadonlySet<unknown> = new Set([
  'bio',
  'frontier_llm',
  'reasoning_extraction',
])

const COUNTS = [
  'input_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'output_tokens',
] as const
const LIFETIMES = ['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens'] as const

/**
 * Iterations that are billed beside the counts of the whole, which leave them out: the summary of a conversation, and
 * the advice of another model (platform.claude.com/docs/en/build-with-claude/compaction-threshold).
 */
const APART: readonly unknown[] = ['compaction', 'advisor_message']
/** The iteration of the model that answered where the requested one declined. The counts of the whole are its own. */
const SERVED = 'fallback_message'

/**
 * Counts that come with their iterations are whole, zeros among them. Those of a message's beginning may be of an
 * iteration that is billed apart, and would count twice.
 */
export const isByIteration = ({ iterations, input_tokens: input }: JsonObject): boolean =>
  Array.isArray(iterations) && iterations.length > 0 && typeof input === 'number'

/** A report without its counts of tokens. */
export const withoutCounts = (report: JsonObject | null): JsonObject =>
  Object.fromEntries(
    Object.entries(report ?? {}).filter(([name]) => ![...COUNTS, 'cache_creation'].includes(name)),
  )

/** A report with those iterations in its counts, or with them alone. */
function withApart(report: JsonObject, isApartAlone: boolean): JsonObject {
  const { iterations } = report
  const all = (Array.isArray(iterations) ? iterations : []).filter(isObject)
  const served = all.find(({ type }) => type === SERVED)
  const apart = all.filter(
    (one) => APART.includes(one['type']) || (served !== undefined && isDeclined(one, served)),
  )
  return apart.reduce<JsonObject>(
    (sum, one) => {
      const lifetimes = added(sum['cache_creation'], one['cache_creation'], LIFETIMES)
      return { ...sum, ...added(sum, one, COUNTS), cache_creation: lifetimes }
    },
    isApartAlone ? withoutCounts(report) : report,
  )
}

/**
 * Whether an iteration is that of a model that declined after it had begun to write: Anthropic bills it at that model's
 * price, and not at all where it wrote nothing (platform.claude.com/docs/en/build-with-claude/refusals-and-fallback).
 */
const isDeclined = (
  { type, model, output_tokens: written }: JsonObject,
  served: JsonObject,
): boolean =>
  type === 'message' && typeof model === 'string' && model !== served['model'] && written !== 0

/** The sums of the counts that the second has. */
function added(sum: unknown, one: unknown, names: readonly string[]): JsonObject {
  const [before, more] = [isObject(sum) ? sum : {}, isObject(one) ? one : {}]
  const sums = names
    .filter((name) => typeof more[name] === 'number')
    .map((name) => [name, Number(before[name] ?? 0) + Number(more[name])] as const)
  return { ...before, ...Object.fromEntries(sums) }
}
