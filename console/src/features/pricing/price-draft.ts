import { quotient, product } from './decimal.ts'

/** The three options that say what a model costs. */
export const PRICE_OPTIONS = ['ModelPrice', 'ModelRatio', 'CompletionRatio'] as const
/** One of the options that say what a model costs. */
export type PriceOption = (typeof PRICE_OPTIONS)[number]
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
}

/** The editable fields of a draft. */
export type DraftField = 'call' | 'input' | 'output'
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

/** The three maps out of the options' texts; a map that cannot be read counts as empty. */
export function priceMapsOf(options: ReadonlyMap<string, string>): PriceMaps {
  return {
    ModelPrice: mapOf(options.get('ModelPrice')),
    ModelRatio: mapOf(options.get('ModelRatio')),
    CompletionRatio: mapOf(options.get('CompletionRatio')),
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
  const output = numberOf(draft.output)
  if (mode === 'price')
    return {
      ...draft,
      mode,
      input: input === null ? draft.input : product(input, perRatio),
      output: input === null || output === null ? '' : product(input, perRatio, output),
    }
  return {
    ...draft,
    mode,
    input: input === null ? draft.input : String(quotient(input, perRatio)),
    output: input === null || output === null || input === 0 ? '' : String(quotient(output, input)),
  }
}

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

/** The options that change, with their new texts; entries of other models stay as they are. */
export function changedOptions(
  maps: PriceMaps,
  changes: readonly PriceChange[],
): readonly { readonly key: PriceOption; readonly value: string }[] {
  return PRICE_OPTIONS.flatMap((key) => {
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
