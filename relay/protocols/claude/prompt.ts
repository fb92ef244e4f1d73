import { isObject, type JsonObject } from '../../json.ts'
import { documentTokens } from '../../metering/file-tokens.ts'
import type { PromptParts } from '../client-protocol.ts'
import type { PromptMedia } from '../model-request.ts'

/** The largest picture that any Claude model takes unscaled (platform.claude.com/docs/en/build-with-claude/vision). */
const TOKENS_PER_IMAGE = 5_000
/** The usual tokens of a picture, for a count. */
const TOKENS_PER_COUNTED_IMAGE = 1_600
const TOKENS_PER_MESSAGE = 3
/** Results of tools hold documents, and those hold pictures; deeper than this nothing nests. */
const DEPTH_MAX = 4

/** Every text of the prompt: system, messages, results of tools, documents in plain text. */
export function* promptTexts({ system, messages }: JsonObject): Generator<string> {
  for (const content of [system, ...contentsOf(messages)]) {
    if (typeof content === 'string') yield content
    for (const block of blocksOf(content)) {
      if (typeof block['text'] === 'string') yield block['text']
      if (typeof block['content'] === 'string') yield block['content']
      const source = sourceOf(block)
      if (source['type'] === 'text' && typeof source['data'] === 'string') yield source['data']
    }
  }
}

/** All that may carry a mark for the cache: the request, its tools, and each block. */
export const cachedParts = (body: JsonObject): readonly JsonObject[] => [
  body,
  ...toolsOf(body),
  ...[body['system'], ...contentsOf(body['messages'])].flatMap((content) => blocksOf(content)),
]

/** The tools that the model has: those of the request, then those that messages define. */
export const toolsOf = ({ tools, messages }: JsonObject): readonly JsonObject[] => [
  ...listOf(tools).filter(isObject),
  ...contentsOf(messages)
    .flatMap((content) => blocksOf(content))
    .flatMap(({ type, tool }) =>
      type === 'tool_addition' && isObject(tool) && isObject(tool['definition'])
        ? [tool['definition']]
        : [],
    ),
]

/** The prompt taken apart for counting. */
export function promptParts(body: JsonObject): PromptParts {
  const texts = [...promptTexts(body)]
  const contents = contentsOf(body['messages'])
  let fixedTokens = TOKENS_PER_MESSAGE * contents.length
  for (const block of contents.flatMap((content) => blocksOf(content))) {
    if (block['type'] === 'tool_use') texts.push(String(block['name']), json(block['input']))
    if (block['type'] === 'image') fixedTokens += TOKENS_PER_COUNTED_IMAGE
    if (block['type'] === 'document' && isEncoded(block)) {
      fixedTokens += documentTokens(dataOf(block)).counted
    }
  }
  for (const tool of toolsOf(body)) texts.push(json(tool))
  return { texts, fixedTokens }
}

/** The media of the prompt, whose bytes say nothing of their tokens. */
export function promptMedia({ messages }: JsonObject): PromptMedia {
  let bytes = 0
  let tokens = 0
  for (const block of contentsOf(messages).flatMap((content) => blocksOf(content))) {
    const { type } = block
    if (type !== 'image' && type !== 'document') continue
    if (type === 'image') tokens += TOKENS_PER_IMAGE
    else if (isEncoded(block)) tokens += documentTokens(dataOf(block)).bound
    bytes += dataOf(block).length
  }
  return { bytes, tokens, audioTokens: 0 }
}

/** Whether a block is a file that lies with the provider, or is put into a container there. */
export const namesStoredFile = ({ system, messages }: JsonObject): boolean =>
  [system, ...contentsOf(messages)]
    .flatMap((content) => blocksOf(content))
    .some((block) => {
      const source = sourceOf(block)
      return source['type'] === 'file' || isId(source['file_id']) || isId(block['file_id'])
    })

const isId = (id: unknown): boolean => typeof id === 'string' && id !== ''

const contentsOf = (messages: unknown): readonly unknown[] =>
  listOf(messages).map((message) => (isObject(message) ? message['content'] : null))

/** The blocks of a content, with those within results of tools and documents. */
function blocksOf(content: unknown, depth = 0): readonly JsonObject[] {
  if (!Array.isArray(content) || depth > DEPTH_MAX) return []
  return content
    .filter(isObject)
    .flatMap((block) => [
      block,
      ...blocksOf(block['content'], depth + 1),
      ...blocksOf(sourceOf(block)['content'], depth + 1),
    ])
}

const sourceOf = ({ source }: JsonObject): JsonObject => (isObject(source) ? source : {})

/** The data of a file in base64; '' = it is elsewhere, or plain text. */
function dataOf(block: JsonObject): string {
  const { type, data } = sourceOf(block)
  return type === 'base64' && typeof data === 'string' ? data : ''
}

/** A file whose text is not in the body. */
const isEncoded = (block: JsonObject): boolean =>
  !['text', 'content'].includes(String(sourceOf(block)['type']))

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const json = (value: unknown): string => JSON.stringify(value) ?? ''
