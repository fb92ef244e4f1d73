import { quotient, product } from './decimal.ts'

/** The three options that say what a model costs. */
export const PRICE_OPTIONS = ['ModelPrice', 'ModelRatio', 'CompletionRatio'] as const
/** The fields of cached input, with their options and the ratios that hold without an entry. */
export const CACHE_FIELDS = {
  cacheRead: { option: 'CacheRatio', usual: 1 },
  cacheWrite: { option: 'CacheWriteRatio', usual: 1.25 },
  cacheWrite1h: { option: 'CacheWrite1hRatio', usual: 2 },
} as const
/** A field of input that is read from the provider's cache, or written to it. */
export type CacheField = keyof typeof CACHE_FIELDS
/** The same, in order. */
export const CACHE_FIELD_NAMES = ['cacheRead', 'cacheWrite', 'cacheWrite1h'] as const
/** One of the options that say what a model costs. */
export type PriceOption =
  | (typeof PRICE_OPTIONS)[number]
  | (typeof CACHE_FIELDS)[CacheField]['option']
const EDITED_OPTIONS: readonly PriceOption[] = [
  ...PRICE_OPTIONS,
  ...CACHE_FIELD_NAMES.map((field) => CACHE_FIELDS[field].option),
]
/** The options' values: a number by model name. */
export type PriceMaps = Readonly<Record<PriceOption, Readonly<Record<string, number>>>>

/** How a model that is charged by tokens is written down: as ratios, or as prices of a million tokens. */
export type EntryMode = 'ratio' | 'price'

/**
 * The fields of one model, as typed. `call` is the fixed price of a call in dollars. In mode `ratio`, `input` and
 * `output` are model and completion ratio; in mode `price`, dollars for a million tokens in and out.
 */
export interface PriceDraft {
  readonly mode: EntryMode
  readonly call: string
  readonly input: string
  readonly output: string
  /** Fields of cached input that were typed in. Those that were not keep their ratio, whatever input costs. */
  readonly caches?: Partial<Readonly<Record<CacheField, string>>>
}

/** The editable fields of a draft. */
export type DraftField = 'call' | 'input' | 'output' | CacheField
/** A problem of a field. */
export type DraftProblem = 'number' | 'zero' | 'inputMissing'

/** One number of one option that is going to change; null = no entry. */
export interface PriceChange {
  readonly option: PriceOption
  readonly model: string
  readonly from: number | null
  readonly to: number | null
}

/** A draft with nothing in it. */
export const EMPTY_DRAFT: PriceDraft = { mode: 'ratio', call: '', input: '', output: '' }

/** The maps out of the options' texts; a map that cannot be read counts as empty. */
export function priceMapsOf(options: ReadonlyMap<string, string>): PriceMaps {
  return {
    ModelPrice: mapOf(options.get('ModelPrice')),
    ModelRatio: mapOf(options.get('ModelRatio')),
    CompletionRatio: mapOf(options.get('CompletionRatio')),
    CacheRatio: mapOf(options.get('CacheRatio')),
    CacheWriteRatio: mapOf(options.get('CacheWriteRatio')),
    CacheWrite1hRatio: mapOf(options.get('CacheWrite1hRatio')),
  }
}

/** A model's configured prices, as a draft. */
export function draftOf(model: string, maps: PriceMaps): PriceDraft {
  return {
    mode: 'ratio',
    call: textOf(maps.ModelPrice[model]),
    input: textOf(maps.ModelRatio[model]),
    output: textOf(maps.CompletionRatio[model]),
  }
}

/** The same prices written in the other mode; `perRatio` = dollars a million tokens cost at ratio 1. */
export function draftIn(draft: PriceDraft, mode: EntryMode, perRatio: number): PriceDraft {
  if (draft.mode === mode) return draft
  const input = numberOf(draft.input)
  const following = (text: string): string => {
    const value = numberOf(text)
    if (input === null || value === null) return ''
    if (mode === 'price') return product(input, perRatio, value)
    return input === 0 ? '' : String(quotient(value, input))
  }
  const inOtherWords =
    mode === 'price'
      ? (value: number) => product(value, perRatio)
      : (value: number) => String(quotient(value, perRatio))
  return {
    ...draft,
    mode,
    input: input === null ? draft.input : inOtherWords(input),
    output: following(draft.output),
    ...(draft.caches && {
      caches: Object.fromEntries(
        Object.entries(draft.caches).map(([field, text]) => [field, following(text)]),
      ),
    }),
  }
}

/** The text of a field; of cached input that nobody typed in, by its configured ratio. */
export function fieldText(
  draft: PriceDraft,
  field: DraftField,
  of: { readonly model: string; readonly maps: PriceMaps; readonly perRatio: number },
): string {
  if (!isCacheField(field)) return draft[field]
  const typed = draft.caches?.[field]
  if (typed !== undefined) return typed
  const ratio = of.maps[CACHE_FIELDS[field].option][of.model]
  return ratio === undefined ? '' : cachePrice(draft, ratio)
}

/** The ratio that holds while a field of cached input is empty, or its price. */
export const usualCachePrice = (draft: PriceDraft, field: CacheField): string =>
  draft.call === '' ? cachePrice(draft, CACHE_FIELDS[field].usual) : ''

function cachePrice({ mode, input }: PriceDraft, ratio: number): string {
  if (mode === 'ratio') return product(ratio)
  const price = numberOf(input)
  return price === null ? '' : product(price, ratio)
}

/** A draft with another text in a field. */
export const withField = (draft: PriceDraft, field: DraftField, text: string): PriceDraft =>
  isCacheField(field)
    ? { ...draft, caches: { ...draft.caches, [field]: text } }
    : { ...draft, [field]: text }

/** Whether a field is of cached input. */
export const isCacheField = (field: string): field is CacheField =>
  Object.hasOwn(CACHE_FIELDS, field)

/** The problems of a draft, by field. */
export function draftProblems(draft: PriceDraft): Partial<Record<DraftField, DraftProblem>> {
  const problems: Partial<Record<DraftField, DraftProblem>> = {}
  if (isWrong(draft.call)) problems.call = 'number'
  else if (numberOf(draft.call) === 0) problems.call = 'zero'
  // With a fixed price the other fields are switched off and not saved.
  if (draft.call !== '') return problems
  if (isWrong(draft.input)) problems.input = 'number'
  else if (draft.mode === 'price' && numberOf(draft.input) === 0) problems.input = 'zero'
  if (isWrong(draft.output)) problems.output = 'number'
  else if (draft.mode === 'price' && draft.output !== '' && draft.input === '')
    problems.input = 'inputMissing'
  for (const field of CACHE_FIELD_NAMES) {
    const text = draft.caches?.[field] ?? ''
    if (isWrong(text)) problems[field] = 'number'
    else if (draft.mode === 'price' && text !== '' && draft.input === '')
      problems.input = 'inputMissing'
  }
  return problems
}

/**
 * The changes that saving the drafts makes. A model with a fixed price keeps its ratios; an emptied field loses its
 * entry.
 */
export function priceChanges(
  drafts: ReadonlyMap<string, PriceDraft>,
  maps: PriceMaps,
  perRatio: number,
): readonly PriceChange[] {
  return [...drafts].flatMap(([model, entered]) => {
    const draft = draftIn(entered, 'ratio', perRatio)
    const wanted: readonly (readonly [PriceOption, string])[] = [
      ['ModelPrice', draft.call],
      ...(draft.call === ''
        ? ([
            ['ModelRatio', draft.input],
            ['CompletionRatio', draft.output],
            ...typedCaches(draft),
          ] as const)
        : []),
    ]
    return wanted
      .map(([option, text]) => ({
        option,
        model,
        from: maps[option][model] ?? null,
        to: numberOf(text),
      }))
      .filter(({ from, to }) => from !== to)
  })
}

const typedCaches = ({ caches = {} }: PriceDraft): readonly (readonly [PriceOption, string])[] =>
  CACHE_FIELD_NAMES.flatMap((field) => {
    const text = caches[field]
    return text === undefined ? [] : [[CACHE_FIELDS[field].option, text] as const]
  })

/** The options that change, with their new texts; entries of other models stay as they are. */
export function changedOptions(
  maps: PriceMaps,
  changes: readonly PriceChange[],
): readonly { readonly key: PriceOption; readonly value: string }[] {
  return EDITED_OPTIONS.flatMap((key) => {
    const own = changes.filter((change) => change.option === key)
    if (own.length === 0) return []
    const next = new Map(Object.entries(maps[key]))
    for (const { model, to } of own) {
      if (to === null) next.delete(model)
      else next.set(model, to)
    }
    return [{ key, value: JSON.stringify(Object.fromEntries(next)) }]
  })
}

/** The same, as texts by option. */
export const changedTexts = (
  maps: PriceMaps,
  changes: readonly PriceChange[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(changedOptions(maps, changes).map(({ key, value }) => [key, value]))

/**
 * Prices to begin with, of a model that nothing says the price of: those of ratio 1, with the completion ratio in force.
 */
export function suggestedDraft(completionRatio: number | undefined, perRatio: number): PriceDraft {
  const output = textOf(completionRatio || 1)
  return draftIn({ ...EMPTY_DRAFT, input: '1', output }, 'price', perRatio)
}

/** Why a model cannot be added under a name, or null. */
export function nameProblem(
  name: string,
  known: (name: string) => boolean,
): 'required' | 'exists' | null {
  if (name === '') return 'required'
  return known(name) ? 'exists' : null
}

/** The number that a field holds, or null when it is empty or holds none. */
export function numberOf(text: string): number | null {
  return /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : null
}

function isWrong(text: string): boolean {
  return text !== '' && numberOf(text) === null
}

/** A number as plain decimals: the fields take no exponents. */
function textOf(value: number | undefined): string {
  return value === undefined ? '' : product(value)
}

function mapOf(text: string | undefined): Readonly<Record<string, number>> {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    // Without a prototype, a model that is called like one of Object's own properties has no entry either.
    return Object.assign(Object.create(null) as Record<string, number>, value)
  } catch {
    // The server refuses what is no JSON, so this is an option that was never set.
    return {}
  }
}
