import type { OptionField } from './option-field.ts'

/** The texts of a form's options by key, as they travel. */
export type OptionTexts = Readonly<Record<string, string>>

/** What is wrong with a number before the server is asked. */
export type NumberProblem = 'number' | 'whole' | 'range'

/** The texts of some fields out of all options; what the server does not list is empty. */
export function textsOf(
  fields: readonly OptionField[],
  options: ReadonlyMap<string, string>,
): OptionTexts {
  return Object.fromEntries(fields.map(({ key }) => [key, options.get(key) ?? '']))
}

/** The options whose text differs from the loaded one, ready to be put. */
export function changedTexts(
  loaded: OptionTexts,
  typed: OptionTexts,
): readonly { readonly key: string; readonly value: string }[] {
  return Object.entries(typed)
    .filter(([key, value]) => value.trim() !== (loaded[key] ?? '').trim())
    .map(([key, value]) => ({ key, value: value.trim() }))
}

/** What is wrong with a field's text, or null; the server checks again and knows more. */
export function numberProblem(field: OptionField, text: string): NumberProblem | null {
  if (field.kind !== 'number') return null
  if (!/^-?\d+(\.\d+)?$/.test(text.trim())) return 'number'
  const value = Number(text)
  if (field.isWhole && !Number.isSafeInteger(value)) return 'whole'
  return value < field.min || value > (field.max ?? Infinity) ? 'range' : null
}
