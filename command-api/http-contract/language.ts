/** Languages that mails and notices are written in. */
export type Language = 'zh' | 'en'

/** The first of our languages in the order of an Accept-Language header (RFC 9110, 12.5.4); Chinese without one. */
export function preferredLanguage(acceptLanguage: string | null): Language {
  let best: { readonly language: Language; readonly weight: number } | null = null
  for (const range of (acceptLanguage ?? '').slice(0, HEADER_CHARACTERS_MAX).split(',')) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const language = LANGUAGES.find((one) => tag === one || tag.startsWith(`${one}-`))
    const weight = weightOf(parameters)
    if (language !== undefined && weight > (best?.weight ?? 0)) best = { language, weight }
  }
  return best?.language ?? 'zh'
}

const LANGUAGES: readonly Language[] = ['zh', 'en']
/** Browsers send a few dozen; a longer header is not read to its end. */
const HEADER_CHARACTERS_MAX = 500

function weightOf(parameters: readonly string[]): number {
  const written = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  const weight = written === undefined ? 1 : Number(written)
  return weight >= 0 && weight <= 1 ? weight : 0
}
