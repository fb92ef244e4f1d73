import type { ServerFailure } from './api.ts'
import type { Language } from './texts.ts'

/**
 * Texts of the server's failures by their codes. `{name}` stands for a value that is words, `{name#}` for a whole
 * number. English has every code; Chinese has those whose own message is not Chinese.
 */
export type FailureTexts = Readonly<Record<string, string>>

/** A failure in the reader's language; one without a text there, such as an upstream's own words, as the server said it. */
export function failureText(
  { code, message, params }: ServerFailure,
  texts: FailureTexts,
  language: Language,
): string {
  const text = Object.hasOwn(texts, code) ? texts[code] : undefined
  if (text === undefined) return message
  const numbers = new Intl.NumberFormat(language)
  return text.replaceAll(/\{([a-z]\w*)(#?)\}/gi, (_, name: string, mark: string) => {
    const value = params[name] ?? ''
    return mark === '#' && typeof value === 'number' ? numbers.format(value) : String(value)
  })
}
