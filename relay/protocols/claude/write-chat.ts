import type { JsonObject } from '../../json.ts'
import { fittingCallId } from '../chat/call-ids.ts'
import {
  type Block,
  type ChatRequest,
  type Effort,
  type MediaSource,
  type Turn,
  Untranslatable,
  unsearchable,
} from '../chat/chat-request.ts'
import { nearestEffort } from '../chat/effort.ts'
import { isBare } from '../chat/kept-thought.ts'
import type { ClaudeTerms } from '../translation.ts'
import { adaptiveEfforts, refusesSampling } from './model-abilities.ts'

const THINKING_SUFFIX = '-thinking'
/** Anthropic's least budget, and the least output that has room for it. */
const BUDGET_MIN = 1_024
export const THINKING_OUTPUT_MIN = 1_280
/** The thinking budget's share of the output, for models that take a budget and no effort. */
const SHARES: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.8,
  max: 0.8,
}

/** Whether the request asks for thinking, by the model's name or by an effort. */
export const asksToThink = ({ effort }: ChatRequest, terms: ClaudeTerms): boolean =>
  nameOf(terms).thinks || (effort !== null && effort !== 'none')

/** A thought that Anthropic can check. */
export const isThought = (block: Block): boolean =>
  block.type === 'redacted' || (block.type === 'reasoning' && block.signature !== '')

/** Whether a model's name asks for thinking, and the name without that. */
export function nameOf({ model, thinkingShare }: Pick<ClaudeTerms, 'model' | 'thinkingShare'>): {
  readonly model: string
  readonly thinks: boolean
} {
  const thinks = thinkingShare !== null && model.endsWith(THINKING_SUFFIX)
  return { model: thinks ? model.slice(0, -THINKING_SUFFIX.length) : model, thinks }
}

/** Writes a chat as Anthropic's messages; throws an Untranslatable for contents that they do not have. */
export function writeChat(chat: ChatRequest, terms: ClaudeTerms): JsonObject {
  refuseUnknown(chat)
  const { model, thinks } = nameOf(terms)
  const limit = chat.maxOutput ?? terms.defaultMaxTokens
  const maxTokens = thinks ? Math.max(limit, THINKING_OUTPUT_MIN) : limit
  const thinking = thinkingOf(chat, model, maxTokens, thinks ? terms.thinkingShare : null)
  const config = {
    ...thinking.config,
    ...(typeof chat.schema === 'object' &&
      chat.schema !== null && { format: schemaFormat(chat.schema) }),
  }
  const isThinking = thinking.thinking !== null
  const members: Record<string, unknown> = {
    model,
    max_tokens: maxTokens,
    messages: turnsOf(chat.turns).flatMap(({ role, blocks }) => {
      const content = resultsFirst(blocks.filter(isSaid)).map(written)
      return content.length > 0 ? [{ role, content }] : []
    }),
    system: chat.system.length > 0 ? chat.system.map(written) : undefined,
    stop_sequences: chat.stop.length > 0 ? chat.stop : undefined,
    ...(!refusesSampling(model) && samplingOf(chat, isThinking, thinks)),
    thinking: thinking.thinking ?? undefined,
    output_config: Object.keys(config).length > 0 ? config : undefined,
    metadata: chat.user === '' ? undefined : { user_id: chat.user },
    stream: chat.stream ? true : undefined,
    ...((chat.tools.length > 0 || chat.search !== undefined) && {
      tools: [...toolsOf(chat), ...searchOf(chat, terms)],
      tool_choice: toolChoiceOf(chat),
    }),
  }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

/** The sampling of tokens, for models that take these members. */
function samplingOf(
  { temperature, topP, topK }: ChatRequest,
  isThinking: boolean,
  thinksByName: boolean,
): JsonObject {
  if (isThinking && !thinksByName && (temperature ?? 1) !== 1) {
    throw new Untranslatable('temperature', 'a model that thinks takes no temperature')
  }
  if ((temperature ?? 0) > 1) {
    throw new Untranslatable('temperature', 'temperature must not be above 1 at this provider')
  }
  return {
    temperature: isThinking ? undefined : (temperature ?? undefined),
    top_p: isThinking && thinksByName ? undefined : (topP ?? undefined),
    top_k: topK ?? undefined,
  }
}

/** Refuses members that Anthropic has no word for, by OpenAI's names. */
function refuseUnknown(chat: ChatRequest): void {
  const unknown = {
    seed: chat.seed,
    presence_penalty: chat.presencePenalty,
    frequency_penalty: chat.frequencyPenalty,
    modalities: chat.mayDraw ?? null,
    response_format: chat.schema === 'any' ? 'JSON without a schema' : null,
  }
  const [param] = Object.entries(unknown).find(([, value]) => value !== null) ?? []
  if (param === undefined) return
  const what = param === 'response_format' ? unknown[param] : param
  throw new Untranslatable(param, `${what} has no counterpart at the provider of this model`)
}

interface Thinking {
  readonly thinking: JsonObject | null
  readonly config: JsonObject
}
const NO_THINKING: Thinking = { thinking: null, config: {} }

/**
 * The thinking to ask for: by the share of a model's `-thinking` name, else by the effort that was asked for. It is off
 * where the thoughts before a tool's result were lost: Anthropic refuses to go on without them.
 */
function thinkingOf(
  { effort, turns }: ChatRequest,
  model: string,
  maxTokens: number,
  share: number | null,
): Thinking {
  if (hasLostThoughts(turns)) return NO_THINKING
  if (share !== null) return thinkingByName(model, maxTokens * share)
  if (effort === null || effort === 'none') return NO_THINKING
  const known = adaptiveEfforts(model)
  if (known !== null) return { ...ADAPTIVE, config: { effort: nearestEffort(effort, known) } }
  if (maxTokens < THINKING_OUTPUT_MIN) {
    const text = `reasoning_effort needs an output limit of at least ${THINKING_OUTPUT_MIN} tokens here`
    throw new Untranslatable('reasoning_effort', text)
  }
  return budgeted(maxTokens * SHARES[effort])
}

/** Thinking of a model whose name asks for it: within a budget of so many tokens, or as it decides. */
export const thinkingByName = (model: string, tokens: number): Thinking =>
  refusesSampling(model) ? ADAPTIVE : budgeted(tokens)

const ADAPTIVE: Thinking = { thinking: { type: 'adaptive' }, config: {} }

const budgeted = (tokens: number): Thinking => ({
  thinking: { type: 'enabled', budget_tokens: Math.max(BUDGET_MIN, Math.floor(tokens)) },
  config: {},
})

/** The last calls came without the thoughts behind them. */
export function hasLostThoughts(turns: readonly Turn[]): boolean {
  const last = turns.findLast(({ role }) => role === 'assistant')
  return last !== undefined && isBare(last, isThought)
}

/** All but thoughts of other models, which no signature shows to be Anthropic's. */
const isSaid = (block: Block): boolean => block.type !== 'reasoning' || isThought(block)

/** Anthropic wants the results of tools before whatever else a user says; Google's clients need not send them so. */
const resultsFirst = (blocks: readonly Block[]): readonly Block[] => [
  ...blocks.filter(({ type }) => type === 'tool-result'),
  ...blocks.filter(({ type }) => type !== 'tool-result'),
]

/** Anthropic wants a conversation to begin with its user. */
const turnsOf = (turns: readonly Turn[]): readonly Turn[] =>
  turns[0]?.role === 'user' ? turns : [{ role: 'user', blocks: [DOTS] }, ...turns]
const DOTS: Block = { type: 'text', text: '...', cache: null }

function written(block: Block): JsonObject {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text, ...(block.cache && { cache_control: block.cache }) }
    case 'media':
      if (block.kind === 'audio') {
        throw new Untranslatable('messages', 'audio has no counterpart at this provider')
      }
      return {
        type: block.kind,
        source: mediaSource(block.source),
        ...(block.name !== undefined && { title: block.name.slice(0, TITLE_MAX) }),
      }
    case 'tool-call':
      return { type: 'tool_use', id: callId(block.id), name: block.name, input: block.input }
    case 'tool-result':
      return {
        type: 'tool_result',
        tool_use_id: callId(block.id),
        content: block.blocks.map(written),
        ...(block.isError && { is_error: true }),
      }
    case 'reasoning':
      return { type: 'thinking', thinking: block.text, signature: block.signature }
    case 'redacted':
      return { type: 'redacted_thinking', data: block.data }
    default:
      return block satisfies never
  }
}

/** Anthropic refuses other characters in an id, such as those of Moonshot's `functions.look:0`. */
const callId = (id: string): string =>
  fittingCallId(id, { fits: /^[\w-]+$/, before: 'call_', digits: 32 })

/** Anthropic's own limit on the title of a document. */
const TITLE_MAX = 500

const mediaSource = (source: MediaSource): JsonObject =>
  'url' in source
    ? { type: 'url', url: source.url }
    : { type: 'base64', media_type: source.mime, data: source.base64 }

const schemaFormat = (schema: JsonObject): JsonObject => ({ type: 'json_schema', schema })

const toolsOf = ({ tools }: ChatRequest): readonly JsonObject[] =>
  tools.map(({ name, description, schema }) => ({
    name,
    ...(description !== '' && { description }),
    input_schema: schema ?? { type: 'object' },
  }))

/**
 * Anthropic's search of the web (platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool), in the version
 * that all its models know. How much context it may bring in is not for clients to say.
 */
function searchOf(
  { search, tools }: ChatRequest,
  { cannotSearch }: ClaudeTerms,
): readonly JsonObject[] {
  if (search === undefined) return []
  if (cannotSearch === true) {
    if (search.isOffer === true) return []
    throw unsearchable(search, 'a search of the web')
  }
  if (tools.some(({ name }) => name === SEARCH_NAME)) {
    throw new Untranslatable('tools', `two tools have the name "${SEARCH_NAME}"`)
  }
  const { maxUses, allowedDomains, blockedDomains, location } = search
  if (allowedDomains.length > 0 && blockedDomains.length > 0) {
    throw unsearchable(search, 'a search with allowed and blocked domains')
  }
  return [
    {
      type: 'web_search_20250305',
      name: SEARCH_NAME,
      ...(maxUses !== null && { max_uses: maxUses }),
      ...(allowedDomains.length > 0 && { allowed_domains: allowedDomains }),
      ...(blockedDomains.length > 0 && { blocked_domains: blockedDomains }),
      ...(location !== null && { user_location: { type: 'approximate', ...location } }),
    },
  ]
}
const SEARCH_NAME = 'web_search'

function toolChoiceOf({ toolChoice, mayCallInParallel }: ChatRequest): JsonObject | undefined {
  if (toolChoice === 'none') return { type: 'none' }
  const single = mayCallInParallel ? {} : { disable_parallel_tool_use: true }
  if (toolChoice === null && mayCallInParallel) return undefined
  if (toolChoice === 'required') return { type: 'any', ...single }
  if (toolChoice === null || toolChoice === 'auto') return { type: 'auto', ...single }
  const name = toolChoice === 'search' ? SEARCH_NAME : toolChoice.name
  return { type: 'tool', name, ...single }
}
