import type { Quota } from '../quota.ts'
import { quota } from '../quota.ts'
import { dearestPrice } from './price-factors.ts'
import type { BookPrice, CallPrice, Price, TokenPrice } from './price.ts'
import type { Ratio, Whole } from './ratio.ts'
import { compare, printRatio, ratio, ratioOf, roundHalfUp, sum, times, ZERO } from './ratio.ts'
import type { Usage } from './usage.ts'
import { completionTokens, promptTokens } from './usage.ts'

/** The amount that a request costs, explained line by line. */
export interface Charge {
  readonly amount: Quota
  readonly explanation: ChargeExplanation
}

export interface ChargeExplanation {
  /** Only the kinds that were used; their quotas add up to `exact`. */
  readonly lines: readonly ChargeLine[]
  /** The exact price before rounding, in quota, as a decimal text. */
  readonly exact: string
  /** How `exact` became the amount: it was whole, was rounded half up, or was raised to the least charge of 1. */
  readonly rounding: 'none' | 'half-up' | 'minimum'
}

export interface ChargeLine {
  readonly kind: ChargeKind
  /** The price has no ratio for this kind: it costs as much as this other. Absent: it has a rate of its own. */
  readonly pricedAs?: ChargeKind
  /** Tokens or calls. */
  readonly count: number
  /** The factors that are multiplied to give `rate`, by name, in order. */
  readonly factors: readonly ChargeFactor[]
  /** Quota for one, exact decimal text. */
  readonly rate: string
  /** count × rate, exact decimal text. */
  readonly quota: string
}

/** The kinds of tokens and calls that lines charge for. */
export const CHARGE_KINDS = [
  'text-in',
  'cached-in',
  'cached-audio-in',
  'cached-image-in',
  'cache-write-in',
  'cache-write-1h-in',
  'image-in',
  'text-out',
  'audio-in',
  'audio-out',
  'image-out',
  'web-search',
  'file-search',
  'call',
] as const
export type ChargeKind = (typeof CHARGE_KINDS)[number]

/** A ratio or price that went into a line, as it stood in the price. */
export interface ChargeFactor {
  readonly name: FactorName
  readonly value: string
}

/** The names of the factors. */
export const FACTOR_NAMES = [
  'model-ratio',
  'group-ratio',
  'completion-ratio',
  'cache-ratio',
  'cached-audio-ratio',
  'cached-image-ratio',
  'cache-write-ratio',
  'cache-write-1h-ratio',
  'audio-ratio',
  'audio-completion-ratio',
  'image-out-ratio',
  'tier-factor',
  'speed-factor',
  'geo-factor',
  'long-prompt-factor',
  'call-price',
  'price-per-1000-calls',
  'quota-per-unit',
] as const
export type FactorName = (typeof FACTOR_NAMES)[number]

/**
 * Prices one request: exactly, then rounded half up once; a price above zero is never charged as 0 (decision 1).
 * A request of which upstream reported nothing at all (see isNothing) is not charged: that is the caller's to decide.
 * Throws a RangeError when the amount would not be a safe integer.
 */
export function charge(price: Price, usage: Usage): Charge {
  const items = itemsOf(price, usage)
  const exact = sum(...items.map((item) => item.quota))
  const rounded = roundHalfUp(exact)
  const amount = wholeOf(exact, rounded)
  return {
    amount,
    explanation: {
      lines: items.map(lineOf),
      exact: printRatio(exact),
      rounding: amount === rounded ? roundingOf(exact, rounded) : 'minimum',
    },
  }
}

/** The amount of `charge` without its explanation, cheap enough for every piece of a stream. */
export const amountOf = (price: Price, usage: Usage): Quota => amountFrom(exactOf(price, usage))

/** An exact amount, rounded once. Throws a RangeError when it would not be a safe integer. */
export const amountFrom = (exact: Ratio): Quota => wholeOf(exact, roundHalfUp(exact))

/** The exact amount that `amountOf` rounds, in quota. */
export function exactOf(price: Price, usage: Usage): Ratio {
  let exact = ZERO
  for (const { kind, rate } of tariffsOf(price)) {
    const count = countOf(kind, usage)
    if (count > 0) exact = sum(exact, times(ratioOf(count), rate))
  }
  return exact
}

/** The most that a single token or call can cost under any terms, in quota, exactly. */
export const dearestRate = (price: BookPrice): Ratio =>
  tariffsOf(dearestPrice(price))
    .map(({ rate }) => rate)
    .reduce((dearest, rate) => (compare(rate, dearest) > 0 ? rate : dearest), ZERO)

/** No token and no tool call: upstream answered nothing, and nothing is charged (decision 5). */
export const isNothing = (usage: Usage): boolean =>
  promptTokens(usage) === 0 &&
  completionTokens(usage) === 0 &&
  usage.webSearchCalls === 0 &&
  usage.fileSearchCalls === 0

/** The price without those of tools, one-hour writes and terms that the request did not use: as a charge keeps it. */
export function priceAsUsed(price: BookPrice, usage: Usage): Price {
  if (price.by === 'call') return price
  const { cacheWrite1hRatio, factors: _, writeFactor: _held, ...always } = price
  const wroteForAnHour = (usage.cacheWrite1hIn ?? 0) > 0 && cacheWrite1hRatio !== undefined
  return {
    ...always,
    ...(wroteForAnHour && { cacheWrite1hRatio }),
    webSearchPrice: usage.webSearchCalls > 0 ? price.webSearchPrice : null,
    fileSearchPrice: usage.fileSearchCalls > 0 ? price.fileSearchPrice : null,
  }
}

/** One line of a price: the cost of a token or call of a kind. */
interface Tariff extends Pick<ChargeLine, 'kind' | 'pricedAs'> {
  readonly factors: readonly ChargeFactor[]
  /** All factors multiplied. */
  readonly rate: Ratio
}

interface Item extends Tariff {
  readonly count: number
  readonly quota: Ratio
}

const itemsOf = (price: Price, usage: Usage): readonly Item[] =>
  tariffsOf(price).flatMap((tariff) => {
    const count = countOf(tariff.kind, usage)
    return count > 0 ? [{ ...tariff, count, quota: times(ratioOf(count), tariff.rate) }] : []
  })

/** Streams ask for their amount at every piece; the rates of a price never change, so they are multiplied once. */
const TARIFFS = new WeakMap<Price, readonly Tariff[]>()

function tariffsOf(price: Price): readonly Tariff[] {
  const known = TARIFFS.get(price)
  if (known !== undefined) return known
  const tariffs = price.by === 'call' ? [callTariff(price)] : tokenTariffs(price)
  TARIFFS.set(price, tariffs)
  return tariffs
}

function tokenTariffs(price: TokenPrice): readonly Tariff[] {
  const every = [
    factor('model-ratio', price.modelRatio),
    factor('group-ratio', price.groupRatio),
    ...given('tier-factor', price.tierFactor),
    ...given('speed-factor', price.speedFactor),
    ...given('geo-factor', price.geoFactor),
  ]
  const base = [...every, ...given('long-prompt-factor', price.longInFactor)]
  const baseOut = [...every, ...given('long-prompt-factor', price.longOutFactor)]
  const cached = tariff('cached-in', [...base, factor('cache-ratio', price.cacheRatio)])
  const written = tariff('cache-write-in', [
    ...base,
    factor('cache-write-ratio', price.cacheWriteRatio),
  ])
  const output = tariff('text-out', [...baseOut, factor('completion-ratio', price.completionRatio)])
  const audioRatio = factor('audio-ratio', price.audioRatio)
  const audioCompletion = factor('audio-completion-ratio', price.audioCompletionRatio)
  const own = (
    { kind, name }: { readonly kind: ChargeKind; readonly name: FactorName },
    value: string | undefined,
    other: Tariff,
    of = base,
  ): Tariff =>
    value === undefined
      ? { ...other, kind, pricedAs: other.kind }
      : tariff(kind, [...of, factor(name, value)])
  return [
    tariff('text-in', base),
    cached,
    own({ kind: 'cached-audio-in', name: 'cached-audio-ratio' }, price.cachedAudioRatio, cached),
    own({ kind: 'cached-image-in', name: 'cached-image-ratio' }, price.cachedImageRatio, cached),
    written,
    own(
      { kind: 'cache-write-1h-in', name: 'cache-write-1h-ratio' },
      price.cacheWrite1hRatio,
      written,
    ),
    tariff('image-in', base),
    output,
    tariff('audio-in', [...base, audioRatio]),
    tariff('audio-out', [...baseOut, audioRatio, audioCompletion]),
    own({ kind: 'image-out', name: 'image-out-ratio' }, price.imageOutRatio, output, baseOut),
    tariff('web-search', toolFactors(price.webSearchPrice, price)),
    tariff('file-search', toolFactors(price.fileSearchPrice, price)),
  ]
}

const toolFactors = (perThousand: string | null, price: TokenPrice): readonly ChargeFactor[] => [
  factor('price-per-1000-calls', perThousand ?? '0'),
  factor('quota-per-unit', price.quotaPerUnit),
  factor('group-ratio', price.groupRatio),
]

const callTariff = (price: CallPrice): Tariff =>
  tariff('call', [
    factor('call-price', price.callPrice),
    factor('quota-per-unit', price.quotaPerUnit),
    factor('group-ratio', price.groupRatio),
  ])

const factor = (name: FactorName, value: string): ChargeFactor => ({ name, value })
const given = (name: FactorName, value: string | undefined): readonly ChargeFactor[] =>
  value === undefined ? [] : [factor(name, value)]

const tariff = (kind: ChargeKind, factors: readonly ChargeFactor[]): Tariff => ({
  kind,
  factors,
  rate: times(
    ...factors.map(({ name, value }) =>
      name === 'price-per-1000-calls' ? times(ratio(value), THOUSANDTH) : ratio(value),
    ),
  ),
})

const THOUSANDTH = ratio('0.001')

function countOf(kind: ChargeKind, usage: Usage): number {
  switch (kind) {
    case 'text-in':
      return usage.textIn
    case 'cached-in':
      return usage.cachedIn
    case 'cached-audio-in':
      return usage.cachedAudioIn ?? 0
    case 'cached-image-in':
      return usage.cachedImageIn ?? 0
    case 'cache-write-in':
      return usage.cacheWriteIn
    case 'cache-write-1h-in':
      return usage.cacheWrite1hIn ?? 0
    case 'image-in':
      return usage.imageIn
    case 'text-out':
      return usage.textOut
    case 'audio-in':
      return usage.audioIn
    case 'audio-out':
      return usage.audioOut
    case 'image-out':
      return usage.imageOut ?? 0
    case 'web-search':
      return usage.webSearchCalls
    case 'file-search':
      return usage.fileSearchCalls
    case 'call':
      return 1
    default:
      return kind satisfies never
  }
}

const lineOf = (item: Item): ChargeLine => ({
  kind: item.kind,
  ...(item.pricedAs !== undefined && { pricedAs: item.pricedAs }),
  count: item.count,
  factors: item.factors,
  rate: printRatio(item.rate),
  quota: printRatio(item.quota),
})

/** Rounded, but never down to nothing. */
const wholeOf = (exact: Ratio, rounded: Whole): Quota =>
  quota(rounded === 0 && compare(exact, ZERO) > 0 ? 1 : Number(rounded))

const roundingOf = (exact: Ratio, rounded: Whole): 'none' | 'half-up' =>
  compare(exact, { digits: rounded, scale: 0 }) === 0 ? 'none' : 'half-up'
