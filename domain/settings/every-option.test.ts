import {
  OPTION_CASES,
  type OptionCase,
  OWN_PREFIXES,
} from '@tollgate/tests/support/option-cases.ts'
import { describe, expect, test } from 'vitest'
import { defaultText, OPTION_KEYS, ruleOf } from './catalogue.ts'
import { optionChangesIn } from './price-changes.ts'
import { decideSettings, evolveSettings, settingsDecider } from './decider.ts'
import type { SettingsState } from './state.ts'

const change = (state: SettingsState, key: string, text: string) =>
  decideSettings(state, { type: 'ChangeOption', key, text }, { at: 1, nextRevision: 0 })

/** The state with what an option needs. */
const readyFor = ({ needs = [] }: OptionCase): SettingsState =>
  needs.reduce((state, [key, text]) => {
    const decision = change(state, key, text)
    if (decision.status === 'rejected') throw new Error(decision.rejection.message)
    return decision.events.reduce(evolveSettings, state)
  }, settingsDecider.initial)

test('given the contract, when held against the catalogue, then each has every key of the other', () => {
  const own = OPTION_KEYS.filter((key) => OWN_PREFIXES.some((prefix) => key.startsWith(prefix)))
  expect(OPTION_CASES.map(({ key }) => key).toSorted()).toEqual(
    OPTION_KEYS.filter((key) => !own.includes(key)).toSorted(),
  )
})

describe.each(OPTION_CASES)('$key', (option) => {
  const { key, takes, refuses, shown } = option
  const rule = ruleOf(key)
  const stored = (text: string) => (shown === 'secret' ? null : text)

  test('given nothing stored, when read, then it stands at its default, and is shown as far as it may be', () => {
    // Long tables are the contract's files; a part of them says which.
    if (rule.kind === 'json') expect(rule.defaultText).toContain(option.defaultText)
    else expect(rule.defaultText).toBe(option.defaultText)
    expect(rule.isSecret).toBe(shown === 'secret')
    expect(rule.isHidden).toBe(shown !== 'listed')
  })

  test.each(takes)('given %j, when changed, then %j is kept', (sent, kept) => {
    const state = readyFor(option)
    const decision = change(state, key, sent)
    if (kept === rule.defaultText) {
      expect(decision).toEqual({ status: 'decided', events: [] })
      return
    }
    const events = decision.status === 'decided' ? decision.events : []
    expect(events.flatMap(optionChangesIn)).toMatchObject([
      { key, value: stored(kept), previous: null },
    ])
    expect(rule.normalise(kept)).toBe(kept)
  })

  test.each(refuses)('given %.20j, when changed, then it is refused: %s', (sent, message) => {
    const decision = change(readyFor(option), key, sent)
    expect(decision).toMatchObject({ status: 'rejected', rejection: { message } })
  })

  test('given a change, when changed again, then the event has the old value', () => {
    const [first] = takes.filter(([, kept]) => kept !== rule.defaultText)
    if (first === undefined) throw new Error('no text but the default')
    const state = readyFor(option)
    const once = change(state, key, first[0])
    const after = once.status === 'decided' ? once.events.reduce(evolveSettings, state) : state
    const back = change(after, key, shown === 'secret' ? 'another' : rule.defaultText)
    const events = back.status === 'decided' ? back.events : []
    expect(events.flatMap(optionChangesIn)).toMatchObject([{ key, previous: stored(first[1]) }])
  })
})

test('given a long table as the default, when read, then it is valid and its default is itself', () => {
  for (const key of OPTION_KEYS) {
    expect(ruleOf(key).check(ruleOf(key).normalise(defaultText(key)), key)).toBeNull()
  }
})
