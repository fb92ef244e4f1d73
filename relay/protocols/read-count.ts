import { isObject, parseForeign } from '../json.ts'

/** Tokens of a prompt that a provider of Anthropic's or OpenAI's protocol counted; null when it tells none. */
export function readInputTokens(body: Buffer): number | null {
  const answer = parseForeign(body.toString('utf8'))
  const tokens = isObject(answer) ? answer['input_tokens'] : null
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : null
}
