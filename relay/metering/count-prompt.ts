import { isObject } from '../json.ts'
import type { OpenAiRequest } from '../protocols/openai/request.ts'
import { promptTexts } from '../protocols/openai/prompt-texts.ts'
import type { TokenCounter } from './token-counter.ts'

/** OpenAI's framing of chat messages: 3 tokens each, 1 more with a name, 3 to begin the answer. */
const TOKENS_PER_MESSAGE = 3
const TOKENS_PER_NAME = 1
const TOKENS_PER_ANSWER = 3
const TOKENS_PER_TOOL = 8
const TOKENS_PER_IMAGE = 765
const TOKENS_PER_AUDIO = 100
const TOKENS_PER_FILE = 5_000

/** The prompt's tokens counted here, for upstreams that report none (relay-and-billing.md 4.11). */
export async function countPrompt(
  request: OpenAiRequest,
  model: string,
  counter: TokenCounter,
): Promise<number> {
  const texts = [...promptTexts(request)]
  let framing = 0
  if (request.endpoint.required === 'messages') {
    framing = TOKENS_PER_ANSWER + framingOfMessages(request.body['messages'], texts)
    const tools = request.body['tools']
    if (Array.isArray(tools)) {
      framing += TOKENS_PER_TOOL * tools.length
      for (const tool of tools) texts.push(JSON.stringify(isObject(tool) ? tool['function'] : tool))
    }
  }
  return framing + tokenIds(request) + (await counter.count(model, texts.join('\n')))
}

function framingOfMessages(messages: unknown, texts: string[]): number {
  if (!Array.isArray(messages)) return 0
  let framing = 0
  for (const message of messages) {
    if (!isObject(message)) continue
    framing += TOKENS_PER_MESSAGE
    if (typeof message['role'] === 'string') texts.push(message['role'])
    if (typeof message['name'] === 'string') {
      framing += TOKENS_PER_NAME
      texts.push(message['name'])
    }
    const parts = message['content']
    if (Array.isArray(parts)) for (const part of parts) framing += tokensOfMedia(part)
  }
  return framing
}

function tokensOfMedia(part: unknown): number {
  const type = isObject(part) ? part['type'] : null
  if (type === 'image_url') return TOKENS_PER_IMAGE
  if (type === 'input_audio') return TOKENS_PER_AUDIO
  return type === 'file' ? TOKENS_PER_FILE : 0
}

/** Prompts and inputs may be given as token ids already. */
function tokenIds(request: OpenAiRequest): number {
  const field = request.endpoint.required
  const given = field === 'messages' ? null : request.body[field]
  if (!Array.isArray(given)) return 0
  return given.flat().filter((item) => typeof item === 'number').length
}
