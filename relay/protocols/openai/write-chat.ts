import { DEFAULT_CONTEXT, searchesEveryTime } from '@tollgate/domain/pricing/tool-price.ts'
import type { JsonObject } from '../../json.ts'
import {
  type Block,
  type ChatRequest,
  type MediaSource,
  type Turn,
  Untranslatable,
  unsearchable,
} from '../chat/chat-request.ts'
import type { OpenAiTerms } from '../translation.ts'
import { effortFor } from './efforts.ts'
import { isStrictSchema } from './strict-schema.ts'

/**
 * Writes a chat as OpenAI's chat completions; throws an Untranslatable for contents that they do not have. Thoughts are
 * left out but for providers that take them, and an effort of models that do not reason.
 */
export function writeChat(
  chat: ChatRequest,
  { model, upstreamModel, limit, reasons, takesThoughts }: OpenAiTerms,
): JsonObject {
  if (chat.topK !== null) {
    throw new Untranslatable('top_k', 'top_k has no counterpart at the provider of this model')
  }
  const system = textsIn(chat.system)
  const members: Record<string, unknown> = {
    model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...chat.turns.flatMap((turn) =>
        turn.role === 'user' ? userTurn(turn) : assistantTurn(turn, takesThoughts),
      ),
    ],
    [limit]: chat.maxOutput ?? undefined,
    stop: chat.stop.length > 0 ? chat.stop : undefined,
    temperature: chat.temperature ?? undefined,
    top_p: chat.topP ?? undefined,
    reasoning_effort:
      reasons && chat.effort !== null ? effortFor(chat.effort, upstreamModel) : undefined,
    seed: chat.seed ?? undefined,
    presence_penalty: chat.presencePenalty ?? undefined,
    frequency_penalty: chat.frequencyPenalty ?? undefined,
    response_format: chat.schema === null ? undefined : formatOf(chat.schema),
    user: chat.user === '' ? undefined : chat.user,
    stream: chat.stream ? true : undefined,
    web_search_options: searchOf(chat, model),
    ...(chat.tools.length > 0 && toolsOf(chat)),
  }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

/** Results of tools are messages of their own, before whatever else the user says; their pictures are the user's. */
function userTurn({ blocks }: Turn): readonly JsonObject[] {
  const results = blocks.filter((block) => block.type === 'tool-result')
  const said = blocks.flatMap((block) =>
    block.type === 'tool-result' ? block.blocks.filter(({ type }) => type === 'media') : [block],
  )
  return [
    ...results.map(({ id, blocks: content }) => ({
      role: 'tool',
      tool_call_id: id,
      content: textsIn(content),
    })),
    ...(said.length > 0 ? [{ role: 'user', content: userContent(said) }] : []),
  ]
}

const userContent = (blocks: readonly Block[]): unknown =>
  blocks.every(({ type }) => type === 'text') ? textsIn(blocks) : blocks.map(writtenPart)

function writtenPart(block: Block): JsonObject {
  if (block.type === 'text') return { type: 'text', text: block.text }
  if (block.type !== 'media') {
    throw new Untranslatable('messages', `a user cannot say a ${block.type} at this provider`)
  }
  const { kind, source, name = 'document' } = block
  if (kind === 'audio') return audioPart(source)
  if (kind === 'image') return { type: 'image_url', image_url: { url: urlOf(source) } }
  if ('url' in source) {
    throw new Untranslatable('messages', 'a document by its address has no counterpart here')
  }
  const filename = /\.pdf$/i.test(name) ? name : `${name}.pdf`
  return { type: 'file', file: { filename, file_data: urlOf(source) } }
}

/** A part with audio, of which OpenAI takes two formats. */
function audioPart(source: MediaSource): JsonObject {
  const mime = 'url' in source ? '' : source.mime
  const format = /^audio\/(?:x-)?(wav|mp3|mpeg)$/.exec(mime)?.[1]
  if ('url' in source || format === undefined) {
    throw new Untranslatable('messages', `audio other than wav and mp3 has no counterpart here`)
  }
  const data = { data: source.base64, format: format === 'mpeg' ? 'mp3' : format }
  return { type: 'input_audio', input_audio: data }
}

const urlOf = (source: MediaSource): string =>
  'url' in source ? source.url : `data:${source.mime};base64,${source.base64}`

function assistantTurn({ blocks }: Turn, takesThoughts: boolean): readonly JsonObject[] {
  const calls = blocks.filter((block) => block.type === 'tool-call')
  const text = textsIn(blocks)
  if (text === '' && calls.length === 0) return []
  const toolCalls = calls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
  const content = text === '' ? null : text
  if (calls.length === 0) return [{ role: 'assistant', content }]
  const thought = takesThoughts ? thoughtsIn(blocks) : ''
  return [
    {
      role: 'assistant',
      content,
      ...(thought !== '' && { reasoning_content: thought }),
      tool_calls: toolCalls,
    },
  ]
}

const thoughtsIn = (blocks: readonly Block[]): string =>
  blocks.flatMap((block) => (block.type === 'reasoning' ? [block.text] : [])).join('\n')

const textsIn = (blocks: readonly Block[]): string =>
  blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')

function formatOf(schema: JsonObject | 'any'): JsonObject {
  if (schema === 'any') return { type: 'json_object' }
  const strict = isStrictSchema(schema) && { strict: true }
  return { type: 'json_schema', json_schema: { name: 'answer', schema, ...strict } }
}

/**
 * The search of a model that searches with every request, and so at least as often as was asked for and never more
 * often than it may; undefined = there is none (developers.openai.com/api/docs/guides/tools-web-search). Other models
 * search by OpenAI's responses alone.
 */
function searchOf({ search }: ChatRequest, model: string): JsonObject | undefined {
  if (search === undefined) return undefined
  if (!searchesEveryTime(model)) {
    if (search.isOffer === true) return undefined
    throw unsearchable(search, 'a search of the web')
  }
  if (search.allowedDomains.length + search.blockedDomains.length > 0) {
    throw unsearchable(search, 'a search within some domains')
  }
  const { context, location } = search
  return {
    ...(context !== DEFAULT_CONTEXT && { search_context_size: context }),
    ...(location !== null && { user_location: { type: 'approximate', approximate: location } }),
  }
}

function toolsOf({ tools, toolChoice, mayCallInParallel }: ChatRequest): JsonObject {
  return {
    tools: tools.map(({ name, description, schema, isStrict }) => ({
      type: 'function',
      function: {
        name,
        ...(description !== '' && { description }),
        ...(schema !== null && { parameters: schema }),
        ...(isStrict && schema !== null && isStrictSchema(schema) && { strict: true }),
      },
    })),
    tool_choice:
      typeof toolChoice === 'object' && toolChoice !== null
        ? { type: 'function', function: toolChoice }
        : toolChoice === 'search'
          ? undefined
          : (toolChoice ?? undefined),
    parallel_tool_calls: mayCallInParallel ? undefined : false,
  }
}
