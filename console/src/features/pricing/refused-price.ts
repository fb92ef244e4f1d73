import { ApiError } from '../../core/api.ts'
import type { DraftField, PriceOption } from './price-draft.ts'

/** A price that the server refused, and why, in the reader's language. */
export interface RefusedPrice {
  readonly model: string
  readonly field: DraftField
  readonly message: string
}

const FIELDS: Readonly<Record<PriceOption, DraftField>> = {
  ModelPrice: 'call',
  ModelRatio: 'input',
  CompletionRatio: 'output',
  CacheRatio: 'cacheRead',
  CacheWriteRatio: 'cacheWrite',
  CacheWrite1hRatio: 'cacheWrite1h',
}

/** The price that a refusal is about; null = none, or none of these options. */
export function refusedPrice(error: unknown): RefusedPrice | null {
  if (!(error instanceof ApiError)) return null
  const place = placeOf(error)
  const field = place?.options.split('、').flatMap((key) => fieldOf(key) ?? [])[0]
  return place && field ? { model: place.model, field, message: error.message } : null
}

/** The options, joined, and the model that a refusal names. */
function placeOf({ code, params }: ApiError): { options: string; model: string } | null {
  const { key = '', name = '', model = '' } = params
  switch (code) {
    case 'option_entry_too_large':
    case 'option_entry_too_small':
    case 'option_entry_negative':
      return { options: String(key), model: String(name) }
    case 'option_price_zero':
      return { options: 'ModelPrice', model: String(name) }
    case 'option_product_too_large':
      return { options: String(key), model: String(model) }
    default:
      return null
  }
}

const fieldOf = (key: string): DraftField | undefined =>
  Object.hasOwn(FIELDS, key) ? FIELDS[key as PriceOption] : undefined
