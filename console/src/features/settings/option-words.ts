import type { TFunction } from 'i18next'
import type { TextFault } from '../../parts/form/json-field.tsx'
import { placeOf } from '../../parts/form/json-text.ts'
import type { OptionProblem } from './option-form.ts'
import type { OptionKey } from './options.ts'
import { specOf, textName } from './options.ts'
import type { TableProblem } from './tables.ts'

/** The name of an option for people. */
export const labelOf = (key: OptionKey, t: TFunction): string =>
  t(`settings.field_${textName(key)}`)

/** The line that explains an option, if it needs one; `server` is this server's address. */
export function helpOf(key: OptionKey, t: TFunction, server: string): string | undefined {
  const help = t(`settings.help_${textName(key)}` as 'settings.help_RetryTimes', {
    server,
    defaultValue: '',
  })
  return help === '' ? undefined : help
}

/** True when every typed word is in an option's name, explanation or key. */
export function matchesWords(key: OptionKey, words: string, t: TFunction): boolean {
  const text = `${labelOf(key, t)} ${helpOf(key, t, '') ?? ''} ${key}`.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** The problem of an option, in words; for JSON see `faultOf`. */
export function problemText(
  problem: Exclude<OptionProblem, { type: 'json' }>,
  t: TFunction,
): string {
  switch (problem.type) {
    case 'range':
    case 'least':
    case 'above':
      return t(`settings.problem_${problem.type}`, { min: problem.min, max: problem.max })
    case 'domain':
    case 'domainTwice':
    case 'number':
    case 'whole':
    case 'address':
      return t(`settings.problem_${problem.type}`)
    default:
      return problem satisfies never
  }
}

/** Options whose names are models: one that stands twice is said by the seeds' own words. */
const MODEL_TABLES: ReadonlySet<OptionKey> = new Set<OptionKey>([
  'ModelPrice',
  'ModelRatio',
  'CacheRatio',
  'CacheWriteRatio',
  'CacheWrite1hRatio',
  'AudioRatio',
  'AudioCompletionRatio',
  'CachedAudioRatio',
  'CachedImageRatio',
  'ImageOutRatio',
  'PriceFactors',
  'CompletionRatio',
])

/** The problem in the JSON of an option, in words, and its position. */
export function faultOf(
  key: OptionKey,
  text: string,
  { problem, at, name }: TableProblem,
  t: TFunction,
): TextFault {
  const place = placeOf(text, at)
  const isTwice = problem === 'twice' && MODEL_TABLES.has(key)
  const reason = isTwice
    ? t('settings.modelTwice', { name })
    : t(`settings.json_${problem}`, { name })
  const placed = t('settings.jsonAt', { ...place, message: reason })
  if (!SYNTAX.has(problem)) return { at, message: placed }
  const words = key === 'TopupGroupRatio' ? 'topUpBroken' : 'jsonBroken'
  return { at, message: t(`settings.${words}`, { message: placed }) }
}

/** Mistakes that make a text no JSON at all. */
const SYNTAX: ReadonlySet<TableProblem['problem']> = new Set<TableProblem['problem']>([
  'empty',
  'value',
  'string',
  'escape',
  'number',
  'name',
  'colon',
  'comma',
  'end',
  'after',
])

/** A stored text in few words, for a mark beside its field; null when it is too long for that. */
export function shortText(key: OptionKey, text: string, t: TFunction): string | null {
  const { kind } = specOf(key)
  if (kind === 'switch') return t(text === 'true' ? 'settings.valueOn' : 'settings.valueOff')
  if (text === '') return t('settings.valueEmpty')
  if (kind === 'table' || kind === 'lines') return null
  return text.length <= SHORT ? text : null
}

const SHORT = 24
