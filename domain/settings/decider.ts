import type { NoteId } from '../ids.ts'
import type { Decider, Decision, DecisionContext } from '../decision.ts'
import { decided, rejected } from '../decision.ts'
import { defaultText, isOptionKey, isPricingOption, ruleOf } from './catalogue.ts'
import type { SettingsEvent } from './events.ts'
import {
  type PriceRejectionReason,
  type RevisePrices,
  revisePrices,
  takeEffect,
  type TakeEffect,
  type WithdrawPrices,
  withdrawPrices,
} from './decide-prices.ts'
import { evolvePrices } from './evolve-prices.ts'
import { optionChangesIn } from './price-changes.ts'
import { unmetRequirement } from './requirements.ts'
import type { SettingsState } from './state.ts'
import { NO_SETTINGS } from './state.ts'

export type SettingsCommand = ChangeOption | ClearLogs | RevisePrices | TakeEffect | WithdrawPrices

/** Sets one option. A secret's value takes part in the checks only: the event does not carry it. */
export interface ChangeOption {
  readonly type: 'ChangeOption'
  readonly key: string
  /** As it came in; normalised here. An empty secret means: keep the stored one. */
  readonly text: string
  /** Why, in the administrator's own words; absent = not said. */
  readonly note?: NoteId | null
}

/** Takes log rows before a moment out of the usage log. */
export interface ClearLogs {
  readonly type: 'ClearLogs'
  /** Unix milliseconds. */
  readonly before: number
}

/** `message` is fit to be shown to the admin. */
export interface SettingsRejection {
  readonly reason: SettingsRejectionReason
  readonly message: string
}

export type SettingsRejectionReason =
  | 'unfit-key'
  | 'invalid-option'
  | 'requirement-unmet'
  | 'moment-missing'
  | PriceRejectionReason

type SettingsDecision = Decision<SettingsEvent, SettingsRejection>

/** Decides the stream `settings`. */
export const settingsDecider: Decider<
  SettingsState,
  SettingsCommand,
  SettingsEvent,
  SettingsRejection
> = {
  initial: NO_SETTINGS,
  decide: decideSettings,
  evolve: evolveSettings,
}

export function decideSettings(
  state: SettingsState,
  command: SettingsCommand,
  { at }: DecisionContext,
): SettingsDecision {
  switch (command.type) {
    case 'ChangeOption':
      return changeOption(state, command, at)
    case 'ClearLogs':
      return clearLogs(command, at)
    case 'RevisePrices':
      return revisePrices(state, command, at)
    case 'TakeEffect':
      return decided(...takeEffect(state, at))
    case 'WithdrawPrices':
      return withdrawPrices(state, command, at)
    default:
      return command satisfies never
  }
}

export function evolveSettings(state: SettingsState, event: SettingsEvent): SettingsState {
  const changed = optionChangesIn(event).reduce(
    (so, { key, value }) =>
      value === null
        ? { ...so, secrets: new Set(so.secrets).add(key) }
        : { ...so, options: so.options.with(key, value) },
    state,
  )
  return { ...changed, prices: evolvePrices(changed.prices, event) }
}

/** The text of an option as the events and `secrets.options` store it. */
export const normalisedOption = (key: string, text: string): string => ruleOf(key).normalise(text)

function changeOption(
  state: SettingsState,
  { key, text, note = null }: ChangeOption,
  at: number,
): SettingsDecision {
  const invalid = invalidKey(state, key)
  if (invalid !== null) return rejected({ reason: 'unfit-key', message: invalid })
  if (isPricingOption(key)) {
    const now = { effectiveAt: null, base: null, note }
    return revisePrices(state, { type: 'RevisePrices', options: { [key]: text }, ...now }, at)
  }
  const value = normalisedOption(key, text)
  const { isSecret } = ruleOf(key)
  if (isSecret && value === '') return decided()
  const problem = ruleOf(key).check(value, key)
  if (problem !== null) return rejected({ reason: 'invalid-option', message: problem })
  const unmet = isOptionKey(key) ? unmetRequirement(state, key, value) : null
  if (unmet !== null) return rejected({ reason: 'requirement-unmet', message: unmet })
  if (isSecret) {
    return decided({ type: 'OptionChanged', data: { at, key, value: null, previous: null, note } })
  }
  const previous = state.options.stored(key)
  if (value === (previous ?? (isOptionKey(key) ? defaultText(key) : null))) return decided()
  return decided({ type: 'OptionChanged', data: { at, key, value, previous, note } })
}

/** Any name will do for an option that Tollgate does not know, within bounds. */
function invalidKey({ options, secrets }: SettingsState, key: string): string | null {
  if (isOptionKey(key)) return null
  if (key === '' || key.length > KEY_CHARACTERS_MAX || /[\p{Cc}\p{Cs}]/u.test(key)) {
    return `设置项名称不能为空，不能含有控制字符，最多 ${KEY_CHARACTERS_MAX} 个字符`
  }
  if (options.stored(key) !== null || secrets.has(key)) return null
  const stored = [...options.entries()].filter(([one]) => !isOptionKey(one)).length
  const sealed = [...secrets].filter((one) => !isOptionKey(one)).length
  if (stored + sealed < UNKNOWN_MAX) return null
  return `自定义设置项过多，最多 ${UNKNOWN_MAX} 个`
}

const KEY_CHARACTERS_MAX = 200
/** All options are in the memory of every process. */
const UNKNOWN_MAX = 500

function clearLogs({ before }: ClearLogs, at: number): SettingsDecision {
  if (!Number.isSafeInteger(before) || before <= 0) {
    return rejected({ reason: 'moment-missing', message: '请选择日志记录时间' })
  }
  return decided({ type: 'LogsCleared', data: { at, before } })
}
