import { type Decision, decided, rejected } from '../decision.ts'
import type { NoteId } from '../ids.ts'
import { isOptionKey, isPricingOption, ruleOf } from './catalogue.ts'
import type { PriceBookRevised, PriceChange, PriceEvent } from './events.ts'
import { evolvePrices } from './evolve-prices.ts'
import { newFreePrice } from './free-models.ts'
import type { OptionsView } from './options.ts'
import { defaultOf, inOrderOfEffect, isPlanned, rebased, withTexts } from './price-changes.ts'
import { pricesBeyondLimit } from './price-limit.ts'
import type { PlannedRevision, SettingsState } from './state.ts'

/** Sets prices, all at once. The event leaves out prices that do not change. */
export interface RevisePrices {
  readonly type: 'RevisePrices'
  /** Texts by pricing option, as they came in; normalised here. */
  readonly options: Readonly<Record<string, string>>
  /** Unix milliseconds; null = now. A time that passed less than a minute ago is now. */
  readonly effectiveAt: number | null
  /** Number of the revision in force that the texts were written from; null = whatever is in force. */
  readonly base: number | null
  readonly note: NoteId | null
}

/** Puts planned revisions in force whose time has come. */
export interface TakeEffect {
  readonly type: 'TakeEffect'
}

/** Takes a planned revision back before its time; asked again it changes nothing. */
export interface WithdrawPrices {
  readonly type: 'WithdrawPrices'
  readonly number: number
}

export type PriceRejectionReason =
  | 'unfit-key'
  | 'invalid-option'
  | 'effect-out-of-range'
  | 'prices-changed'
  | 'plan-imminent'
  | 'too-many-planned'
  | 'revision-too-long'
  | 'revision-not-planned'

type PriceDecision = Decision<
  PriceEvent,
  { readonly reason: PriceRejectionReason; readonly message: string }
>

/** A request may be under way for as long as this when its time comes. */
const LATE_MS_MAX = 60_000
const AHEAD_MS_MAX = 2 * 366 * 86_400_000
/** All planned revisions are in the memory of every relay. */
const PLANNED_MAX = 50
/** Both texts of every change go into one event, which stays under 1 MiB even at four bytes a character. */
const TEXTS_LENGTH_MAX = 220_000
/**
 * Relays put a planned revision in force by their own clocks. So close before it nothing else comes into force. Relays
 * whose clocks differ by less then agree on the prices below it.
 */
const IMMINENT_MS = 5_000

export function revisePrices(
  before: SettingsState,
  { options, effectiveAt, base, note }: RevisePrices,
  at: number,
): PriceDecision {
  const due = takeEffect(before, at)
  const state = due.reduce(evolved, before)
  const invalid = Object.keys(options).find((key) => !isPricingOption(key))
  if (invalid !== undefined) {
    return refused('unfit-key', `${invalid} 不是价格设置项，请通过系统设置修改`)
  }
  const texts = Object.entries(options).map(([key, text]) => ({
    key,
    value: ruleOf(key).normalise(text),
    previous: state.options.stored(key),
  }))
  const changes = texts.filter(({ key, value, previous }) => value !== (previous ?? defaultOf(key)))
  if (changes.length === 0) return decided(...due)
  const effect = effectiveAt === null || effectiveAt <= at ? at : effectiveAt
  const { planned, inForce, newest } = state.prices
  if (planned.some((one) => one.effectiveAt === effect && isSame(one.changes, changes))) {
    return decided(...due)
  }
  if (effectiveAt !== null && (effectiveAt < at - LATE_MS_MAX || effectiveAt > at + AHEAD_MS_MAX)) {
    return refused('effect-out-of-range', '生效时间必须在当前时间之后的两年之内，请重新选择')
  }
  if (base !== null && base !== inForce) {
    return refused(
      'prices-changed',
      `价格已被他人修改：当前生效的是第 ${inForce} 版，您的修改基于第 ${base} 版，请刷新后重新修改`,
    )
  }
  const problem = textProblem(state.options, texts)
  if (problem !== null) return refused('invalid-option', problem)
  const imminent = planned.find(
    (one) => one.effectiveAt <= at + IMMINENT_MS && effect <= one.effectiveAt,
  )
  if (imminent !== undefined) {
    return refused('plan-imminent', `第 ${imminent.number} 版价格即将生效，请在几秒后重试`)
  }
  if (effect > at && planned.length >= PLANNED_MAX) {
    return refused('too-many-planned', `计划中的价格版本最多 ${PLANNED_MAX} 个，请先撤回不需要的`)
  }
  if (lengthOf(changes) > TEXTS_LENGTH_MAX) {
    return refused('revision-too-long', '一次保存的价格过多，请分几次保存')
  }
  const data = { at, number: newest + 1, effectiveAt: effect, changes, note }
  // Alone and in force at once it has been held against the limit already.
  const isAlone = planned.length === 0 && !isPlanned(data)
  const beyond = isAlone ? null : beyondLimit(state.options, planned, data)
  if (beyond !== null) return refused('invalid-option', beyond)
  return decided(...due, { type: 'PriceBookRevised', data })
}

/** One event for each planned revision whose time has come, in the order of their times. */
export function takeEffect(state: SettingsState, at: number): readonly PriceEvent[] {
  let { options } = state
  return inOrderOfEffect(state.prices.planned)
    .filter(({ effectiveAt }) => effectiveAt <= at)
    .map(({ number, changes }) => {
      const texts = rebased(changes, options)
      options = withTexts(options, texts)
      return { type: 'PriceRevisionTookEffect', data: { at, number, changes: texts } }
    })
}

export function withdrawPrices(
  state: SettingsState,
  { number }: WithdrawPrices,
  at: number,
): PriceDecision {
  const { planned, withdrawn } = state.prices
  if (withdrawn.has(number)) return decided()
  const found = planned.find((one) => one.number === number)
  if (found === undefined || found.effectiveAt <= at) {
    return refused('revision-not-planned', `第 ${number} 版价格不在计划中：已经生效，或不存在`)
  }
  return decided(...takeEffect(state, at), { type: 'PriceRevisionWithdrawn', data: { at, number } })
}

function evolved(state: SettingsState, event: PriceEvent): SettingsState {
  const { options } = state
  return {
    ...state,
    options: 'changes' in event.data ? withTexts(options, event.data.changes) : options,
    prices: evolvePrices(state.prices, event),
  }
}

/** The first thing wrong with the texts, each by itself and all together. */
function textProblem(present: OptionsView, texts: readonly PriceChange[]): string | null {
  for (const { key, value } of texts) {
    const problem = ruleOf(key).check(value, key)
    if (problem !== null) return problem
    const free = isOptionKey(key) ? newFreePrice(present, key, value) : null
    if (free !== null) return free
  }
  return pricesBeyondLimit(
    present,
    withTexts(present, texts),
    texts.map(({ key }) => key).join('、'),
  )
}

/** Planned prices must stay chargeable on top of the revisions that come into force before them, too. */
function beyondLimit(
  present: OptionsView,
  planned: readonly PlannedRevision[],
  revision: PriceBookRevised['data'],
): string | null {
  let options = present
  for (const { number, changes } of inOrderOfEffect([...planned, revision])) {
    const next = withTexts(options, rebased(changes, options))
    const problem = pricesBeyondLimit(options, next, `第 ${number} 版价格`)
    if (problem !== null) return problem
    options = next
  }
  return null
}

const lengthOf = (changes: readonly PriceChange[]): number =>
  changes.reduce((sum, { value, previous }) => sum + value.length + (previous?.length ?? 0), 0)

const isSame = (one: readonly PriceChange[], other: readonly PriceChange[]): boolean =>
  one.length === other.length &&
  one.every(({ key, value }) => other.some((same) => same.key === key && same.value === value))

const refused = (reason: PriceRejectionReason, message: string): PriceDecision =>
  rejected({ reason, message })
