import type { Refusal } from '../refusal.ts'
import { invalid } from './json-body.ts'

/** The tiers with a price here. `on_demand` is Groq's name for the default one. */
const PRICED: readonly unknown[] = ['auto', 'default', 'on_demand', 'priority', 'flex']

/** Refuses a `service_tier` whose price is unknown, such as `scale` or Groq's `performance`; null = it has one. */
export function tierProblem(tier: unknown): Refusal | null {
  if (tier === undefined || tier === null || PRICED.includes(tier)) return null
  return invalid(
    'service_tier other than "auto", "default", "priority" and "flex" is not priced here',
    'service_tier',
  )
}

/** The tier, where its price is not the usual one. */
export const tierTerms = (
  tier: unknown,
): { readonly terms?: { readonly tier: 'priority' | 'flex' } } =>
  tier === 'priority' || tier === 'flex' ? { terms: { tier } } : {}
