import { isObject, type JsonObject } from '../../json.ts'
import { documentTokens, videoTokens } from '../../metering/file-tokens.ts'
import { imageTokens } from '../../metering/image-tokens.ts'
import type { PromptParts } from '../client-protocol.ts'
import type { Endpoint } from '../model-request.ts'
import { promptTexts } from './prompt-texts.ts'

/** OpenAI's framing of chat messages: 3 tokens each, 1 more with a name, 3 to begin the answer. */
const TOKENS_PER_MESSAGE = 3
const TOKENS_PER_NAME = 1
const TOKENS_PER_ANSWER = 3
const TOKENS_PER_TOOL = 8
const TOKENS_PER_AUDIO = 100

/** Takes a request's body apart for counting (relay-and-billing.md 4.11; calls of tools in the history count too). */
export function promptParts(
  body: JsonObject,
  required: Endpoint['required'],
  model: string,
): PromptParts {
  const texts = [...promptTexts(body, required)]
  if (required !== 'messages') return { texts, fixedTokens: tokenIds(body[required]) }
  let fixedTokens = TOKENS_PER_ANSWER
  for (const message of listOf(body['messages'])) {
    if (isObject(message)) fixedTokens += messageTokens(message, model, texts)
  }
  const functions = [
    ...listOf(body['tools']).map((tool) =>
      isObject(tool) ? (tool['function'] ?? tool['custom'] ?? tool) : tool,
    ),
    ...listOf(body['functions']),
  ]
  for (const tool of functions) texts.push(...toolTexts(tool))
  return { texts, fixedTokens: fixedTokens + TOKENS_PER_TOOL * functions.length }
}

/** Framing and media of a message; its texts beside the content are added to `texts`. */
function messageTokens(message: JsonObject, model: string, texts: string[]): number {
  let tokens = TOKENS_PER_MESSAGE
  pushText(texts, message['role'])
  if (typeof message['name'] === 'string') {
    tokens += TOKENS_PER_NAME
    texts.push(message['name'])
  }
  for (const part of listOf(message['content'])) tokens += mediaTokens(part, model)
  const calls = listOf(message['tool_calls']).map((call) =>
    isObject(call) ? (call['function'] ?? call['custom']) : null,
  )
  for (const call of [...calls, message['function_call']]) {
    if (!isObject(call)) continue
    pushText(texts, call['name'])
    pushText(texts, call['arguments'] ?? call['input'])
  }
  return tokens
}

function mediaTokens(part: unknown, model: string): number {
  if (!isObject(part)) return 0
  switch (part['type']) {
    case 'image_url':
      return imageTokens(model, part['image_url'])
    case 'input_audio':
      return TOKENS_PER_AUDIO
    case 'file':
      return documentTokens(textIn(part['file'], 'file_data')).counted
    case 'video_url': {
      const url = textIn(part['video_url'], 'url')
      return videoTokens(url.startsWith('data:') ? url : '')
    }
    default:
      return 0
  }
}

function textIn(holder: unknown, name: string): string {
  const value = isObject(holder) ? holder[name] : holder
  return typeof value === 'string' ? value : ''
}

/** Name, description and the schema of the parameters, each by itself; a tool of another shape as it is. */
function toolTexts(tool: unknown): readonly string[] {
  if (!isObject(tool) || typeof tool['name'] !== 'string') return [JSON.stringify(tool)]
  const texts: string[] = [tool['name']]
  pushText(texts, tool['description'])
  const schema = tool['parameters'] ?? tool['format']
  if (schema !== undefined) texts.push(JSON.stringify(schema))
  return texts
}

function pushText(texts: string[], text: unknown): void {
  if (typeof text === 'string') texts.push(text)
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Prompts and inputs may be given as token ids already. */
const tokenIds = (given: unknown): number =>
  listOf(given)
    .flat()
    .filter((item) => typeof item === 'number').length
