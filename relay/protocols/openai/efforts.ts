import type { Effort } from '../chat/chat-request.ts'
import { nearestEffort } from '../chat/effort.ts'

type Efforts = readonly [Effort, ...Effort[]]

/**
 * The efforts of models by name; the first that fits holds (platform.openai.com/docs/guides/reasoning, docs.x.ai,
 * docs.mistral.ai).
 */
const KNOWN: ReadonlyArray<readonly [RegExp, Efforts]> = [
  [/^(?:o[134](?:-|$)|gpt-oss|gpt-5-codex|gpt-5\.1-codex(?!-max))/, ['low', 'medium', 'high']],
  [/^gpt-5\.1-codex-max/, ['low', 'medium', 'high', 'xhigh']],
  [/^gpt-5-pro/, ['high']],
  [/^gpt-5(?:-|$)/, ['minimal', 'low', 'medium', 'high']],
  [/^gpt-5\.1(?:-|$)/, ['none', 'low', 'medium', 'high']],
  [/^gpt-5\.2-pro/, ['medium', 'high', 'xhigh']],
  [/^gpt-5\.2(?:-|$)/, ['none', 'low', 'medium', 'high', 'xhigh']],
  [/^grok-3-mini/, ['low', 'high']],
  [/^(?:magistral|mistral)-/, ['none', 'high']],
]

/**
 * The effort to request of a model of OpenAI's protocol, which may not know the given one. A model that is not known
 * here gets the given one; undefined = the request names none, as many of those models refuse `none`.
 */
export function effortFor(effort: Effort, model: string): Effort | undefined {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  const [, known] = KNOWN.find(([pattern]) => pattern.test(name)) ?? []
  if (known !== undefined) return nearestEffort(effort, known)
  return effort === 'none' ? undefined : effort
}
