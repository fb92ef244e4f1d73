import type { ChannelFacts } from '../../directory/facts.ts'
import { editMembers, type Patch } from '../json-members.ts'
import { isObject, type JsonObject } from '../../json.ts'
import type { UpstreamError } from '../../upstream/errors.ts'
import { withMessagesBy } from './message-rules.ts'
import { editForMistral } from './mistral-schema.ts'
import { canStreamUsage } from './stream-usage.ts'
import type { ModelRequest } from '../model-request.ts'
import { notTranslated } from '../not-translated.ts'
import type { MessageRulesName } from '../translation.ts'
import type { Outgoing, OutgoingOptions } from '../upstream-protocol.ts'
import { maxOutputOf } from './request.ts'

const EFFORT_SUFFIX = /-(high|medium|low)$/
/** Alibaba and Zhipu refuse the ends of the range (channels.md 2.1). */
const TOP_P_LEAST = 0.001
const TOP_P_MOST = 0.999
const TOP_P_BELOW_ONE = 0.99

/**
 * The bytes for one channel: the client's own where nothing has to change, else with just those members changed.
 * `passThrough` leaves everything as it came.
 */
export function upstreamBody(
  request: ModelRequest,
  channel: ChannelFacts,
  { passThrough, now, translateLong }: OutgoingOptions,
): Outgoing | UpstreamError | Promise<Outgoing | UpstreamError> {
  if (passThrough && !request.endpoint.isPlayground) {
    const { raw, model, reasoningEffort, maxOutput } = request
    return { body: raw, model, reasoningEffort, maxOutput, asksForUsage: false }
  }
  const made = editedBody(request, channel, now)
  const rules = request.endpoint.mode === 'chat' ? rulesFor(channel, made.body) : null
  return rules === null ? made : withMessages(made, rules, translateLong)
}

/** The bytes with the members of the request itself changed; `now` in unix milliseconds. */
function editedBody(request: ModelRequest, channel: ChannelFacts, now: number): Outgoing {
  const mapped = channel.modelMapping.get(request.model) ?? request.model
  const edits = new Map<string, unknown>()
  const effort = isEffortModel(mapped, channel) ? (EFFORT_SUFFIX.exec(mapped)?.[1] ?? null) : null
  const model = effort === null ? mapped : mapped.slice(0, -effort.length - 1)
  if (model !== request.model) edits.set('model', model)
  if (effort !== null) edits.set('reasoning_effort', effort)
  const { fields } = request
  const body = request.endpoint.isPlayground ? editForPlayground(fields, edits) : fields
  const asksForUsage = request.stream && canStreamUsage(channel, now)
  editStreamOptions(request, asksForUsage, edits)
  if (hasNoTools(request)) for (const key of OF_TOOLS) edits.set(key, undefined)
  if (isReasoningModel(model, channel)) editForReasoning(body, model, edits)
  const { quirks } = channel.type
  const isDeveloperKnown = !quirks.includes('no-developer-role')
  const patch = isDeveloperKnown && isOpenAiReasoning(model) ? developerRole(request, model) : null
  editTopP(fields['top_p'], channel, edits)
  if (quirks.includes('mistral-schema')) {
    editForMistral(request.raw, request.members, request.endpoint.mode, edits)
  }
  if (request.endpoint.mode !== 'embeddings') {
    for (const [key, value] of Object.entries(channel.paramOverride ?? {})) edits.set(key, value)
  }
  const edited =
    edits.size === 0 && patch === null
      ? request.raw
      : editMembers(request.raw, request.members, edits, patch)
  return {
    body: edited,
    model,
    asksForUsage,
    reasoningEffort: effort ?? request.reasoningEffort,
    maxOutput:
      request.endpoint.mode === 'embeddings'
        ? 0
        : maxOutputOf({ ...fields, ...Object.fromEntries(edits) }),
  }
}

/** The group is Tollgate's, and a limit of 0 is the playground's word for none. */
function editForPlayground(body: JsonObject, edits: Map<string, unknown>): JsonObject {
  edits.set('group', undefined)
  const { max_tokens: limit, ...rest } = body
  if (limit !== 0) return body
  edits.set('max_tokens', undefined)
  return rest
}

/** Vendors refuse an empty list, and members that go with tools without them. */
const hasNoTools = ({ raw, members }: ModelRequest): boolean =>
  members.some(
    ({ key, start, end }) =>
      key === 'tools' &&
      end - start < EMPTY_TOOLS_BYTES_MAX &&
      EMPTY_TOOLS.test(raw.toString('utf8', start, end)),
  )

const EMPTY_TOOLS_BYTES_MAX = 100
const EMPTY_TOOLS = /:\s*\[\s*\]$/
const OF_TOOLS = ['tools', 'tool_choice', 'parallel_tool_calls'] as const

/** The rules by which a vendor takes messages of a chat; null = as they are. */
function rulesFor({ type: { quirks } }: ChannelFacts, body: Buffer): MessageRulesName | null {
  if (quirks.includes('mistral-schema')) return 'mistral'
  return quirks.includes('no-developer-role') && body.includes('developer') ? 'system' : null
}

/** Messages as the vendor takes them; of a long body in the thread, as it would take too long here. */
function withMessages(
  made: Outgoing,
  rules: MessageRulesName,
  translateLong: OutgoingOptions['translateLong'],
): Outgoing | Promise<Outgoing | UpstreamError> {
  if (made.body.length <= MESSAGES_BYTES_MAX) {
    return { ...made, body: withMessagesBy(rules, made.body) }
  }
  return translateLong(made.body, { into: 'messages', rules }).then((answer) => {
    if (answer.status !== 'edited') return notTranslated(answer)
    const { raw } = answer
    if (raw === null) return made
    return { ...made, body: Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength) }
  })
}

const MESSAGES_BYTES_MAX = 4 * 1024 * 1024

/** Usage is asked for wherever it can be; where it cannot, the option would be refused. */
function editStreamOptions(
  { fields, wantsUsage }: ModelRequest,
  asksForUsage: boolean,
  edits: Map<string, unknown>,
): void {
  const given = fields['stream_options']
  if (asksForUsage) {
    if (wantsUsage) return
    edits.set('stream_options', { ...(isObject(given) ? given : {}), include_usage: true })
  } else if (given !== undefined) {
    edits.set('stream_options', undefined)
  }
}

/** OpenAI's reasoning models take max_completion_tokens, no temperature, and a developer in place of a system. */
function editForReasoning(body: JsonObject, model: string, edits: Map<string, unknown>): void {
  if (body['max_tokens'] !== undefined) {
    edits.set('max_completion_tokens', body['max_completion_tokens'] ?? body['max_tokens'])
    edits.set('max_tokens', undefined)
  }
  if (!isOpenAiReasoning(model)) return
  if (body['temperature'] !== undefined) edits.set('temperature', undefined)
}

/** Where a leading system message has to be a developer's; in its own bytes, as the message may be the whole body. */
function developerRole({ raw, firstRole }: ModelRequest, model: string): Patch | null {
  const takesDeveloper = model === 'o1' || model === 'o1-2024-12-17' || model.startsWith('o3')
  if (!takesDeveloper || firstRole === null) return null
  if (firstRole.end - firstRole.start > ROLE_BYTES_MAX) return null
  const role: unknown = JSON.parse(raw.toString('utf8', firstRole.start, firstRole.end))
  return role === 'system' ? { at: firstRole, bytes: DEVELOPER } : null
}

/** Six escaped letters, and white space before them. */
const ROLE_BYTES_MAX = 100
const DEVELOPER = Buffer.from('"developer"')

function editTopP(topP: unknown, channel: ChannelFacts, edits: Map<string, unknown>): void {
  if (typeof topP !== 'number') return
  const { quirks } = channel.type
  if (quirks.includes('top-p-inside-zero-one') && (topP < TOP_P_LEAST || topP > TOP_P_MOST)) {
    edits.set('top_p', Math.min(TOP_P_MOST, Math.max(TOP_P_LEAST, topP)))
  } else if (quirks.includes('top-p-below-one') && topP >= 1) {
    edits.set('top_p', TOP_P_BELOW_ONE)
  }
}

const isOpenAiReasoning = (model: string): boolean =>
  model.startsWith('o1') || model.startsWith('o3')

const isGrokMini = (model: string, channel: ChannelFacts): boolean =>
  channel.type.id === 48 && model.startsWith('grok-3-mini')

const isReasoningModel = (model: string, channel: ChannelFacts): boolean =>
  isOpenAiReasoning(model) || isGrokMini(model, channel)

const isEffortModel = isReasoningModel
