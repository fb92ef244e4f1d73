import type { QuotaUnit } from '../../parts/quota-format.ts'
import type { PricedModel } from './contract.ts'
import { product } from './decimal.ts'

/** A model's price in a group, exact decimal texts; in US dollars or in quota. */
export type ModelPrice =
  | { readonly by: 'tokens'; readonly input: string; readonly output: string }
  | { readonly by: 'call'; readonly call: string }

const MILLION = 1_000_000

/**
 * The price of a million tokens in and out (ratio × group ratio is quota for one token; at 500,000 quota a dollar that
 * is 2 dollars × ratio a million), or of a call.
 */
export function priceOf(
  model: PricedModel,
  groupRatio: number,
  unit: QuotaUnit,
  quotaPerUnit: number,
): ModelPrice {
  if (model.quota_type === 1) {
    const scale = unit === 'currency' ? 1 : quotaPerUnit
    return { by: 'call', call: product(model.model_price, groupRatio, scale) }
  }
  const scale = unit === 'currency' ? MILLION / quotaPerUnit : MILLION
  return {
    by: 'tokens',
    input: product(model.model_ratio, scale, groupRatio),
    output: product(model.model_ratio, scale, groupRatio, model.completion_ratio),
  }
}

/** Models as the old console orders them: gpt* first, then by name. */
export function sortedModels(models: readonly PricedModel[]): readonly PricedModel[] {
  const isGpt = (model: PricedModel) => model.model_name.startsWith('gpt')
  return models.toSorted(
    (a, b) => Number(isGpt(b)) - Number(isGpt(a)) || a.model_name.localeCompare(b.model_name),
  )
}

/** True when the letters of each typed word appear in the name in that order, whatever lies between. */
export function matchesFuzzily(name: string, typed: string): boolean {
  const lower = name.toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => isSubsequence(word, lower))
}

/** The group to begin with: the user's own where it may be looked at, else `default`, else the first. */
export function startGroup(own: string | undefined, usable: readonly string[]): string {
  if (own && usable.includes(own)) return own
  return usable.includes('default') ? 'default' : (usable[0] ?? 'default')
}

function isSubsequence(word: string, name: string): boolean {
  let at = 0
  for (const letter of word) {
    at = name.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return true
}

/** Colour of a tag with a group's ratio: the dearer, the warmer (seeds, section 9). */
export function ratioPalette(ratio: number): string {
  if (ratio > 5) return 'red'
  if (ratio > 3) return 'orange'
  return ratio > 1 ? 'blue' : 'green'
}
