import { product, shortened, withCents } from './decimal.ts'
import type { DraftTerms } from './draft-store.ts'
import type { EditorRow } from './editor-rows.ts'
import { numberOf, type PriceDraft } from './price-draft.ts'

/** Digits after the point of a ratio or a price that follows from others. */
const PLACES = 6
/** The same of dollars in the column beside the ratios. */
const DOLLAR_PLACES = 4
/** Stands for output whose ratio the server did not tell. */
const UNKNOWN = '–'

/** The price of output while its field is empty, by the ratio that holds then; '' where that is not known. */
export function outputInForce(draft: PriceDraft, row: EditorRow): string {
  const ratio = row.completionRatio
  if (draft.call !== '' || ratio === undefined) return ''
  if (draft.mode === 'ratio') return shortened(String(ratio), PLACES)
  const input = numberOf(draft.input)
  return input === null ? '' : shortened(product(input, ratio), PLACES)
}

/** The same price in the other mode: dollars a million tokens beside ratios, ratios beside dollars. */
export function otherWay(draft: PriceDraft, row: EditorRow, { perRatio }: DraftTerms): string {
  const input = numberOf(draft.input)
  if (draft.call !== '' || input === null) return ''
  const output = numberOf(draft.output)
  if (draft.mode === 'ratio') {
    const ratio = output ?? row.completionRatio
    return pair(
      dollars(input, perRatio),
      ratio === undefined ? UNKNOWN : dollars(input, perRatio, ratio),
    )
  }
  const ratio = output === null || input === 0 ? row.completionRatio : output / input
  return pair(short(input / perRatio), ratio === undefined ? UNKNOWN : short(ratio))
}

const pair = (input: string, output: string): string => `${input} / ${output}`

const dollars = (...factors: readonly number[]): string =>
  withCents(shortened(product(...factors), DOLLAR_PLACES))

const short = (value: number): string => shortened(product(Number(value.toPrecision(8))), PLACES)
