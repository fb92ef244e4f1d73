import type { Decider, Decision } from '../decision.ts'
import { decided, rejected } from '../decision.ts'
import type { OptionKey } from './catalogue.ts'
import { isOptionKey, ruleOf } from './catalogue.ts'
import type { SettingsEvent } from './events.ts'
import { unmetRequirement } from './requirements.ts'
import type { SettingsState } from './state.ts'
import { NO_SETTINGS } from './state.ts'

export type SettingsCommand = ChangeOption | ClearLogs

/** Sets one option. A secret's value takes part in the checks only: the event does not carry it. */
export interface ChangeOption {
  readonly type: 'ChangeOption'
  readonly key: string
  /** As it came in; normalised here. An empty secret means: keep what is stored. */
  readonly text: string
  readonly at: number
}

/** Takes log rows before a moment out of the usage log. */
export interface ClearLogs {
  readonly type: 'ClearLogs'
  /** Unix milliseconds. */
  readonly before: number
  readonly at: number
}

/** `message` is fit to be shown to the admin. */
export interface SettingsRejection {
  readonly reason: SettingsRejectionReason
  readonly message: string
}

export type SettingsRejectionReason =
  | 'unknown-option'
  | 'invalid-option'
  | 'requirement-unmet'
  | 'moment-missing'

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

export function decideSettings(state: SettingsState, command: SettingsCommand): SettingsDecision {
  switch (command.type) {
    case 'ChangeOption':
      return changeOption(state, command)
    case 'ClearLogs':
      return clearLogs(command)
    default:
      return command satisfies never
  }
}

export function evolveSettings(state: SettingsState, event: SettingsEvent): SettingsState {
  switch (event.type) {
    case 'OptionChanged': {
      const { key, value } = event.data
      return value === null
        ? { ...state, secrets: new Set(state.secrets).add(key) }
        : { ...state, options: state.options.with(key, value) }
    }
    case 'LogsCleared':
      return state
    default:
      return event satisfies never
  }
}

/** The text as it is stored: what the events and `secrets.options` keep. */
export const normalisedOption = (key: OptionKey, text: string): string =>
  ruleOf(key).normalise(text)

function changeOption(state: SettingsState, { key, text, at }: ChangeOption): SettingsDecision {
  if (!isOptionKey(key)) {
    return rejected({ reason: 'unknown-option', message: `未知的设置项：${key}，请检查名称` })
  }
  const value = normalisedOption(key, text)
  const { isSecret } = ruleOf(key)
  if (isSecret && value === '') return decided()
  const problem = ruleOf(key).check(value, key)
  if (problem !== null) return rejected({ reason: 'invalid-option', message: problem })
  const unmet = unmetRequirement(state, key, value)
  if (unmet !== null) return rejected({ reason: 'requirement-unmet', message: unmet })
  if (isSecret) {
    return decided({ type: 'OptionChanged', data: { at, key, value: null, previous: null } })
  }
  if (value === state.options.text(key)) return decided()
  const previous = state.options.stored(key)
  return decided({ type: 'OptionChanged', data: { at, key, value, previous } })
}

function clearLogs({ before, at }: ClearLogs): SettingsDecision {
  if (!Number.isSafeInteger(before) || before <= 0) {
    return rejected({ reason: 'moment-missing', message: '请选择日志记录时间' })
  }
  return decided({ type: 'LogsCleared', data: { at, before } })
}
