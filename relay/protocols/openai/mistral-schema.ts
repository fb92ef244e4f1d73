import type { JsonObject } from '../../json.ts'
import type { Member } from '../../json-scan.ts'
import type { Mode } from '../../channel-types.ts'

/** The members that Mistral's API takes; it refuses any other with 422 (docs.mistral.ai/api, 2026-11). */
const CHAT: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'temperature',
  'top_p',
  'max_tokens',
  'stream',
  'stop',
  'random_seed',
  'metadata',
  'response_format',
  'tools',
  'tool_choice',
  'presence_penalty',
  'frequency_penalty',
  'min_tokens',
  'repetition_penalty',
  'top_k',
  'logprobs',
  'top_logprobs',
  'n',
  'prediction',
  'parallel_tool_calls',
  'reasoning_effort',
  'prompt_mode',
  'guardrails',
  'prompt_cache_key',
  'service_tier',
  'safe_prompt',
])
const EMBEDDINGS: ReadonlySet<string> = new Set([
  'model',
  'input',
  'output_dimension',
  'output_dtype',
  'encoding_format',
  'metadata',
])
const INFILL: ReadonlySet<string> = new Set([
  'model',
  'prompt',
  'suffix',
  'temperature',
  'top_p',
  'max_tokens',
  'min_tokens',
  'stream',
  'stop',
  'random_seed',
  'metadata',
])

/** OpenAI's members under Mistral's names. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['seed', 'random_seed'],
  ['max_completion_tokens', 'max_tokens'],
  ['dimensions', 'output_dimension'],
])

const KNOWN: ReadonlyMap<Mode, ReadonlySet<string>> = new Map([
  ['embeddings', EMBEDDINGS],
  ['infill', INFILL],
])

/** Members of a message that Mistral takes. */
export const MISTRAL_MESSAGE: ReadonlySet<string> = new Set([
  'role',
  'content',
  'tool_calls',
  'tool_call_id',
  'prefix',
])

/** Renames members that Mistral calls otherwise and leaves out those that it would refuse. */
export function editForMistral(
  raw: Buffer,
  members: readonly Member[],
  mode: Mode,
  edits: Map<string, unknown>,
): void {
  const known = KNOWN.get(mode) ?? CHAT
  for (const { key, start, end } of members) {
    if (known.has(key)) continue
    const name = RENAMED.get(key)
    if (name !== undefined && known.has(name)) {
      const member = JSON.parse(`{${raw.toString('utf8', start, end)}}`) as JsonObject
      edits.set(name, member[key])
    }
    edits.set(key, undefined)
  }
  for (const key of edits.keys()) if (!known.has(key)) edits.set(key, undefined)
}
