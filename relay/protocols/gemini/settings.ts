import type { GeminiSettings } from '../../directory/facts.ts'
import type { JsonObject } from '../../json.ts'
import { textIn, wholeIn } from './names.ts'
import { BUDGET_MAX, noThinking, thinkingWithin } from './thinking.ts'

const CATEGORIES = [
  'HARM_CATEGORY_HARASSMENT',
  'HARM_CATEGORY_HATE_SPEECH',
  'HARM_CATEGORY_SEXUALLY_EXPLICIT',
  'HARM_CATEGORY_DANGEROUS_CONTENT',
  'HARM_CATEGORY_CIVIC_INTEGRITY',
] as const

/** The settings that a request names, and the operator's for the other categories; null = the operator has none. */
export function withSafety(
  named: readonly JsonObject[],
  { safety }: GeminiSettings,
): readonly JsonObject[] | null {
  const known = new Set(named.map((setting) => textIn(setting, 'category')))
  const added = CATEGORIES.flatMap((category) => {
    const threshold = safety.get(category) ?? safety.get('default')
    return threshold === undefined || known.has(category) ? [] : [{ category, threshold }]
  })
  return added.length === 0 ? null : [...named, ...added]
}

/**
 * The model without its suffix, and the configuration that the suffix and the operator's list of picture models ask
 * for; null = as it is.
 */
export function adaptedConfig(
  model: string,
  config: JsonObject,
  { thinkingShare, imageModels }: GeminiSettings,
): { readonly model: string; readonly config: JsonObject | null } {
  const suffix = thinkingShare === null ? null : (/-(?:no)?thinking$/.exec(model)?.[0] ?? null)
  const named = suffix === null ? model : model.slice(0, -suffix.length)
  const changes = {
    ...(suffix !== null &&
      !('thinkingConfig' in config) && {
        thinkingConfig: thinkingOf(suffix, named, config, thinkingShare ?? 0),
      }),
    ...(imageModels.has(named) &&
      !('responseModalities' in config) && { responseModalities: ['TEXT', 'IMAGE'] }),
  }
  const isChanged = Object.keys(changes).length > 0
  return { model: named, config: isChanged ? { ...config, ...changes } : null }
}

/** Output tokens over all candidates; null = no limit. */
export function outputLimit(config: JsonObject): number | null {
  const limit = wholeIn(config, 'maxOutputTokens')
  return limit === null ? null : limit * (wholeIn(config, 'candidateCount') ?? 1)
}

function thinkingOf(suffix: string, model: string, config: JsonObject, share: number): JsonObject {
  if (suffix === '-nothinking') return noThinking(model)
  const limit = wholeIn(config, 'maxOutputTokens')
  return thinkingWithin(limit === null ? BUDGET_MAX : limit * share, model)
}
