import type { UpstreamFacts } from '../account/request-facts.ts'
import { pricedName } from './model-name.ts'
import type { BookPrice, CacheLifetime, CallPrice, PriceFactors, TokenPrice } from './price.ts'
import { compare, ratio } from './ratio.ts'
import type { Usage } from './usage.ts'
import { promptTokens } from './usage.ts'

/** Terms that a request asks for. */
export interface AskedTerms {
  readonly tier?: 'priority' | 'flex'
  readonly fast?: true
  readonly geo?: true
}

/** The terms under which upstream says it answered; null = it says nothing. */
export type ServedTerms = Pick<UpstreamFacts, 'serviceTier' | 'speed' | 'region'>

const NAMES = ['priority', 'flex', 'fast', 'geo'] as const
type FactorOf = (typeof NAMES)[number]

/** The factors of the option PriceFactors, whose shape was checked when it was stored. */
export function factorsFrom(json: unknown): ReadonlyMap<string, PriceFactors> {
  const models = Object.entries(objectOf(json))
  return new Map(models.map(([model, factors]) => [model, readFactors(objectOf(factors))]))
}

function readFactors(given: Readonly<Record<string, unknown>>): PriceFactors {
  const { tokens, in: input, out } = objectOf(given['above'])
  const isAbove = typeof tokens === 'number' && isFactor(input) && isFactor(out)
  return {
    ...Object.fromEntries(
      NAMES.flatMap((name) => (isFactor(given[name]) ? [[name, String(given[name])]] : [])),
    ),
    ...(isAbove && { above: { tokens, in: String(input), out: String(out) } }),
  }
}

const isFactor = (value: unknown): boolean =>
  typeof value === 'number' && value > 0 && Number.isFinite(value)

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {}

/** Those of the name itself, else of the family it is priced by; undefined = none. */
export const factorsOf = (
  table: ReadonlyMap<string, PriceFactors>,
  model: string,
): PriceFactors | undefined => table.get(model) ?? table.get(pricedName(model))

/** Terms asked for that the price has no factor for, as the request names them; null = it has all. */
export function unpricedTerm(price: BookPrice, asked: AskedTerms): FactorOf | null {
  const factors = price.by === 'tokens' ? price.factors : undefined
  return askedNames(asked).find((name) => factors?.[name] === undefined) ?? null
}

const askedNames = ({ tier, fast, geo }: AskedTerms): readonly FactorOf[] => [
  ...(tier === undefined ? [] : [tier]),
  ...(fast === true ? (['fast'] as const) : []),
  ...(geo === true ? (['geo'] as const) : []),
]

/**
 * The price that a request is reserved by: a discount is upstream's to give, so only terms that make it dearer count. All
 * of a prompt may be written to the cache that `cacheWrites` asks for.
 */
export function priceToReserve(
  price: BookPrice,
  asked: AskedTerms,
  cacheWrites?: CacheLifetime,
): BookPrice {
  const names = askedNames(asked).filter((name) => isDearer(price, name))
  const held = withFactors(price, names, false)
  return cacheWrites === undefined || held.by === 'call' ? held : withWrites(held, cacheWrites)
}

/** As MADE: the same price and lifetime give the same object. */
const WRITTEN = new WeakMap<BookPrice, Map<CacheLifetime, BookPrice>>()

function withWrites(price: Exclude<BookPrice, CallPrice>, lifetime: CacheLifetime): BookPrice {
  const made = WRITTEN.get(price) ?? new Map<CacheLifetime, BookPrice>()
  WRITTEN.set(price, made)
  const known = made.get(lifetime)
  if (known !== undefined) return known
  const { cacheWriteRatio, cacheWrite1hRatio = cacheWriteRatio } = price
  const writeFactor = lifetime === '1h' ? cacheWrite1hRatio : cacheWriteRatio
  const written = compare(ratio(writeFactor), ONE) > 0 ? { ...price, writeFactor } : price
  made.set(lifetime, written)
  return written
}

/**
 * The price that an answer is charged by: at the terms that upstream reports it served. Where it reports none, the
 * requested term counts if it is dearer: an unreported discount is none.
 */
export function priceAsServed(
  price: BookPrice,
  asked: AskedTerms,
  served: ServedTerms,
  usage: Usage,
): BookPrice {
  const names = NAMES.filter((name) => {
    const told = isServed(name, served)
    return told ?? (askedNames(asked).includes(name) && isDearer(price, name))
  })
  return withFactors(price, names, isLong(price, promptTokens(usage)))
}

/** Null = upstream says nothing of it. */
function isServed(name: FactorOf, { serviceTier, speed, region }: ServedTerms): boolean | null {
  switch (name) {
    case 'priority':
    case 'flex':
      return serviceTier === null ? null : serviceTier === name
    case 'fast':
      return speed === null ? null : speed === 'fast'
    case 'geo':
      // Azure tells the place of its machines, which has a price of its own.
      return region === null || !REGION.test(region) ? null : !ANYWHERE.has(region)
    default:
      return name satisfies never
  }
}
const REGION = /^[a-z_]{2,20}$/
const ANYWHERE: ReadonlySet<string> = new Set(['global', 'not_available'])

const isDearer = (price: BookPrice, name: FactorOf): boolean => {
  const factor = price.by === 'tokens' ? price.factors?.[name] : undefined
  return factor !== undefined && compare(ratio(factor), ONE) > 0
}
const ONE = ratio('1')

/** Whether a prompt of so many tokens is beyond the model's threshold. */
export const isLong = (price: BookPrice, tokens: number): boolean =>
  price.by === 'tokens' && price.factors?.above !== undefined && tokens > price.factors.above.tokens

/** The price of prompts beyond the threshold. */
export const longPrice = (price: BookPrice): BookPrice => withFactors(price, [], true)

/** The price under the terms that make it dearest. */
export const dearestPrice = (price: BookPrice): BookPrice =>
  withFactors(
    price,
    NAMES.filter((name) => isDearer(price, name)),
    true,
  )

/** Rates are computed from a price again and again: the same factors give the same object. */
const MADE = new WeakMap<BookPrice, Map<string, BookPrice>>()

function withFactors(price: BookPrice, names: readonly FactorOf[], long: boolean): BookPrice {
  if (price.by === 'call' || price.factors === undefined) return price
  const key = `${names.join()} ${long}`
  const made = MADE.get(price) ?? new Map<string, BookPrice>()
  MADE.set(price, made)
  const known = made.get(key)
  if (known !== undefined) return known
  const applied = { ...price, ...appliedFactors(price.factors, names, long) }
  made.set(key, applied)
  return applied
}

function appliedFactors(
  factors: PriceFactors,
  names: readonly FactorOf[],
  long: boolean,
): Partial<TokenPrice> {
  const { priority, flex, fast, geo, above } = factors
  const tier = names.includes('priority') ? priority : names.includes('flex') ? flex : undefined
  return {
    ...(tier !== undefined && { tierFactor: tier }),
    ...(names.includes('fast') && fast !== undefined && { speedFactor: fast }),
    ...(names.includes('geo') && geo !== undefined && { geoFactor: geo }),
    ...(long && above !== undefined && { longInFactor: above.in, longOutFactor: above.out }),
  }
}

/**
 * A price of the book `to`, by the usage, under the terms of a charge at prices of `from`. The tier is the one whose
 * factor was charged; the length of the prompt is judged by the threshold of `to`.
 */
export function underTermsOf(
  charged: BookPrice,
  from: BookPrice,
  to: BookPrice,
): (usage: Usage) => BookPrice {
  if (charged.by === 'call' || from.by === 'call') return () => to
  const { tierFactor, speedFactor, geoFactor } = charged
  const names = NAMES.filter((name) => {
    switch (name) {
      case 'priority':
        return tierFactor !== undefined && from.factors?.priority === tierFactor
      case 'flex':
        return (
          tierFactor !== undefined &&
          from.factors?.flex === tierFactor &&
          from.factors.priority !== tierFactor
        )
      case 'fast':
        return speedFactor !== undefined
      case 'geo':
        return geoFactor !== undefined
      default:
        return name satisfies never
    }
  })
  return (usage) => withFactors(to, names, isLong(to, promptTokens(usage)))
}
