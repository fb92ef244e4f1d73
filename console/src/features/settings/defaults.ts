import { isChanged, isSameText } from './option-form.ts'
import type { OptionKey } from './options.ts'
import { specOf } from './options.ts'

/** The defaults that the server tells, by option; undefined while they are not known. */
export type Defaults = ReadonlyMap<string, string> | undefined

/** The text of an option from the start; null while it is not known: the long tables' defaults come from the server. */
export const initialOf = (key: OptionKey, defaults: Defaults): string | null =>
  specOf(key).initial ?? defaults?.get(key) ?? null

/** True when a text is not what its option is from the start. */
export function isOffDefault(key: OptionKey, text: string, defaults: Defaults): boolean {
  const spec = specOf(key)
  if (spec.initial !== null) return isChanged(key, text)
  const initial = initialOf(key, defaults)
  return initial !== null && !isSameText(spec, text, initial)
}

/** The options that are not what they are from the start; a secret is none from the start, so one that is set counts. */
export const changedKeys = (
  keys: readonly OptionKey[],
  textOf: (key: OptionKey) => string,
  { defaults, secrets }: { readonly defaults: Defaults; readonly secrets: SetSecrets },
): readonly OptionKey[] =>
  keys.filter((key) => isOffDefault(key, textOf(key), defaults) || secrets?.get(key) === true)

/** Whether each secret has a text; undefined while that is not known. */
type SetSecrets = ReadonlyMap<string, boolean> | undefined
