import { isObject, type JsonObject } from '../../json.ts'
import { audioInputBound } from '../../metering/audio-tokens.ts'
import { documentTokens } from '../../metering/file-tokens.ts'
import { imageTokens } from '../../metering/image-tokens.ts'
import type { PromptParts } from '../client-protocol.ts'
import type { PromptMedia } from '../model-request.ts'
import { tokensPerImage } from '../openai/prompt-media.ts'

const TOKENS_PER_ITEM = 3
const TOKENS_PER_ANSWER = 3
const TOKENS_PER_TOOL = 8
const TOKENS_PER_AUDIO = 100

/** The items of the input; a text is one message of it. */
export function itemsOf({ input }: JsonObject): readonly JsonObject[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  return Array.isArray(input) ? input.filter(isObject) : []
}

/** Items that give the model tools amid the conversation. */
const TOOL_ITEMS: ReadonlySet<unknown> = new Set(['additional_tools', 'tool_search_output'])

/** The tools that the model has: those of the request, then those that items of the input add. */
export const toolsOf = (body: JsonObject): readonly JsonObject[] =>
  [body, ...itemsOf(body).filter(({ type }) => TOOL_ITEMS.has(type))].flatMap(({ tools }) =>
    listOf(tools).filter(isObject),
  )

/** The parts of a message, a tool's output or a reasoning item; a text is none. */
export function partsOf(item: JsonObject): readonly JsonObject[] {
  return [item['content'], item['output'], item['summary']].flatMap((list) =>
    Array.isArray(list) ? list.filter(isObject) : isObject(list) ? [list] : [],
  )
}

/** Every text of the prompt: instructions, messages, outputs of tools. */
export function* promptTexts(body: JsonObject): Generator<string> {
  if (typeof body['instructions'] === 'string') yield body['instructions']
  for (const item of itemsOf(body)) {
    for (const name of ['content', 'output', 'input', 'arguments']) {
      const text = item[name]
      if (typeof text === 'string') yield text
    }
    for (const part of partsOf(item)) if (typeof part['text'] === 'string') yield part['text']
  }
}

/** The prompt taken apart for counting. */
export function promptParts(body: JsonObject, model: string): PromptParts {
  const texts = [...promptTexts(body)]
  const items = itemsOf(body)
  let fixedTokens = TOKENS_PER_ANSWER + TOKENS_PER_ITEM * items.length
  for (const item of items) {
    for (const name of ['role', 'name']) {
      const text = item[name]
      if (typeof text === 'string') texts.push(text)
    }
    for (const part of partsOf(item)) fixedTokens += countOf(part, model)
  }
  const tools = toolsOf(body)
  for (const tool of tools) texts.push(JSON.stringify(tool))
  if (isObject(body['text'])) texts.push(JSON.stringify(body['text']))
  return { texts, fixedTokens: fixedTokens + TOKENS_PER_TOOL * tools.length }
}

function countOf(part: JsonObject, model: string): number {
  switch (part['type']) {
    case 'input_image':
    case 'computer_screenshot':
      return imageTokens(model, { url: part['image_url'], detail: part['detail'] })
    case 'input_file':
      return documentTokens(fileIn(part)).counted
    case 'input_audio':
      return TOKENS_PER_AUDIO
    default:
      return 0
  }
}

/** The media of the prompt, whose bytes say nothing of their tokens. */
export function promptMedia(body: JsonObject): PromptMedia {
  let bytes = 0
  let tokens = 0
  let audioTokens = 0
  const lengthOf = (data: unknown): number => (typeof data === 'string' ? data.length : 0)
  for (const part of itemsOf(body).flatMap(partsOf)) {
    const { type, input_audio: audio } = part
    if (type === 'input_image' || type === 'computer_screenshot') {
      tokens += tokensPerImage(body['model'])
      bytes += lengthOf(part['image_url'])
    }
    if (type === 'input_file') {
      const file = fileIn(part)
      tokens += documentTokens(file).bound
      bytes += file.length
    }
    const data = type === 'input_audio' && isObject(audio) ? audio['data'] : null
    if (typeof data !== 'string') continue
    bytes += data.length
    audioTokens += audioInputBound(data)
  }
  return { bytes, tokens, audioTokens }
}

/** The data of a file in the request; '' = it is elsewhere. */
const fileIn = ({ file_data: data }: JsonObject): string => (typeof data === 'string' ? data : '')

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
