import { product, shortened, withCents } from './decimal.ts'
import type { DraftTerms } from './draft-store.ts'
import type { EditorRow } from './editor-rows.ts'
import { numberOf, type PriceDraft } from './price-draft.ts'

/** Digits after the point of a ratio or a price that follows from others. */
const PLACES = 6
/** The same of dollars in the column beside the ratios. */
const DOLLAR_PLACES = 4
/** Says that a figure is not known here. */
const UNKNOWN = '–'

/** The price of output while its field is empty, by the built-in completion ratio; '' where that is not known. */
export function outputInForce(draft: PriceDraft, row: EditorRow, terms: DraftTerms): string {
  const ratio = ratioInForce(row, terms)
  if (draft.call !== '' || ratio === undefined) return ''
  if (draft.mode === 'ratio') return shortened(String(ratio), PLACES)
  const input = numberOf(draft.input)
  return input === null ? '' : shortened(product(input, ratio), PLACES)
}

/** The same price in the other mode: dollars a million tokens beside ratios, ratios beside dollars. */
export function otherWay(draft: PriceDraft, row: EditorRow, terms: DraftTerms): string {
  const { perRatio } = terms
  const input = numberOf(draft.input)
  if (draft.call !== '' || input === null) return ''
  const output = numberOf(draft.output)
  if (draft.mode === 'ratio') {
    const ratio = output ?? ratioInForce(row, terms)
    return pair(
      dollars(input, perRatio),
      ratio === undefined ? UNKNOWN : dollars(input, perRatio, ratio),
    )
  }
  const ratio = output === null || input === 0 ? ratioInForce(row, terms) : output / input
  return pair(short(input / perRatio), ratio === undefined ? UNKNOWN : short(ratio))
}

/** The completion ratio that holds without an entry; the one in force is another where there is an entry. */
const ratioInForce = (row: EditorRow, { maps }: DraftTerms): number | undefined =>
  maps.CompletionRatio[row.model] === undefined ? row.completionRatio : undefined

const pair = (input: string, output: string): string => `${input} / ${output}`

const dollars = (...factors: readonly number[]): string =>
  withCents(shortened(product(...factors), DOLLAR_PLACES))

const short = (value: number): string => shortened(product(Number(value.toPrecision(8))), PLACES)
