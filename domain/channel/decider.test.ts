import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChannelCommand } from './decider.ts'
import { channelDecider, decideChannel } from './decider.ts'
import type { ChannelEvent, ChannelTerms } from './events.ts'
import { evolveChannel } from './evolve.ts'
import type { ChannelState } from './state.ts'

const TERMS: ChannelTerms = {
  type: 1,
  openaiOrganization: '',
  testModel: '',
  baseUrl: '',
  other: '',
  models: ['gpt-4o'],
  groups: ['default'],
  modelMapping: '',
  statusCodeMapping: '',
  paramOverride: '',
  setting: '',
  priority: 0,
  weight: 0,
  autoBan: true,
  tag: '',
  maxInputTokens: 0,
}
const at = 5
const context = { at, nextRevision: 0 }
const added: ChannelEvent = { type: 'ChannelAdded', data: { at: 1, ...TERMS } }
const disabled: ChannelEvent = { type: 'ChannelDisabled', data: { at: 2, reason: '' } }
const autoDisabled: ChannelEvent = {
  type: 'ChannelAutoDisabled',
  data: { at: 2, reason: 'bad key', upstreamStatus: 401, bodyExcerpt: '{}' },
}
const deleted: ChannelEvent = { type: 'ChannelDeleted', data: { at: 3 } }
const add: ChannelCommand = { type: 'AddChannel', terms: TERMS }
const enable: ChannelCommand = { type: 'EnableChannel' }
const disable: ChannelCommand = { type: 'DisableChannel', reason: 'maintenance' }
const autoDisable = {
  type: 'AutoDisableChannel',
  reason: 'bad key',
  upstreamStatus: 401,
  bodyExcerpt: '{}',
  isSwitchedOn: true,
} as const satisfies ChannelCommand
const halfOpened: ChannelEvent = {
  type: 'ChannelHalfOpened',
  data: { at: 3, reason: 'test passed' },
}
const trialFailed: ChannelEvent = {
  type: 'ChannelTrialFailed',
  data: { at: 4, reason: 'overloaded', upstreamStatus: 503, bodyExcerpt: '' },
}
const halfOpen = {
  type: 'HalfOpenChannel',
  reason: 'test passed',
  isSwitchedOn: true,
} as const satisfies ChannelCommand
const trialPassed: ChannelCommand = { type: 'ConcludeTrial', succeeded: true }
const trialLost: ChannelCommand = {
  type: 'ConcludeTrial',
  succeeded: false,
  reason: 'overloaded',
  upstreamStatus: 503,
  bodyExcerpt: 'z'.repeat(501),
}
const recordTest = {
  type: 'RecordTest',
  model: 'gpt-4o',
  succeeded: false,
  durationMs: 12,
  error: 'x'.repeat(600),
  promptTokens: null,
  completionTokens: null,
  testedBy: 1,
} as const satisfies ChannelCommand
const passedTest: ChannelCommand = { ...recordTest, succeeded: true, error: '' }
const balance = (balanceUsd: string): ChannelCommand => ({ type: 'RecordBalance', balanceUsd })
const spent: ChannelEvent = { type: 'ChannelBalanceRead', data: { at: 1, balanceUsd: '0' } }
const newKey: ChannelEvent = { type: 'ChannelKeyReplaced', data: { at: 3 } }

const given = (...events: readonly ChannelEvent[]): ChannelState =>
  events.reduce(evolveChannel, channelDecider.initial)
const reasonOf = (state: ChannelState, command: ChannelCommand): string | null => {
  const decision = decideChannel(state, command, context)
  return decision.status === 'rejected' ? decision.rejection.reason : null
}
const eventsOf = (state: ChannelState, command: ChannelCommand): readonly ChannelEvent[] | null => {
  const decision = decideChannel(state, command, context)
  return decision.status === 'decided' ? decision.events : null
}

describe('deciding a channel', () => {
  test.each([
    ['one that is there', given(added), add, 'channel-exists'],
    ['one that was deleted', given(added, deleted), add, 'channel-exists'],
    ['none', given(), enable, 'channel-unknown'],
    ['one that was deleted', given(added, deleted), disable, 'channel-unknown'],
    ['none and bad terms', given(), { ...add, terms: { ...TERMS, type: 21 } }, 'type-not-offered'],
    [
      'one and bad terms',
      given(added),
      { type: 'ReviseChannel', changes: { models: [] } },
      'models-missing',
    ],
    [
      'one that leads elsewhere by now',
      given(added),
      {
        type: 'ReviseChannel',
        changes: { weight: 9 },
        from: { type: TERMS.type, baseUrl: 'https://before.example' },
      },
      'channel-moved',
    ],
    [
      'the switch off',
      given(added),
      { ...autoDisable, isSwitchedOn: false },
      'automatic-disable-off',
    ],
    [
      'auto_ban off',
      given({ type: 'ChannelAdded', data: { at: 1, ...TERMS, autoBan: false } }),
      autoDisable,
      'channel-not-auto-ban',
    ],
    [
      'the switch off',
      given(added, autoDisabled),
      { ...halfOpen, isSwitchedOn: false },
      'automatic-enable-off',
    ],
    ['one disabled by hand', given(added, disabled), halfOpen, 'channel-not-auto-disabled'],
    [
      'a balance of words',
      given(added),
      { type: 'RecordBalance', balanceUsd: 'much' },
      'balance-invalid',
    ],
  ] satisfies ReadonlyArray<readonly [string, ChannelState, ChannelCommand, string]>)(
    'given %s, when commanded, then it is rejected by name',
    (_, state, command, reason) => {
      expect(reasonOf(state, command)).toBe(reason)
    },
  )

  test.each([
    ['enabled', given(added), enable],
    ['disabled', given(added, disabled), disable],
    ['disabled by hand', given(added, disabled), autoDisable],
    ['auto-disabled', given(added, autoDisabled), autoDisable],
    ['half-open', given(added, autoDisabled, halfOpened), autoDisable],
    ['enabled', given(added), halfOpen],
    ['half-open', given(added, autoDisabled, halfOpened), halfOpen],
    ['enabled', given(added), trialPassed],
    ['enabled', given(added), trialLost],
    ['auto-disabled', given(added, autoDisabled), trialPassed],
    ['auto-disabled', given(added, autoDisabled, halfOpened, trialFailed), trialLost],
    ['disabled by hand', given(added, autoDisabled, halfOpened, disabled), trialPassed],
    ['of these terms', given(added), { type: 'ReviseChannel', changes: TERMS }],
  ] satisfies ReadonlyArray<readonly [string, ChannelState, ChannelCommand]>)(
    'given a channel that is %s, when commanded to be so, then nothing happens',
    (_, state, command) => {
      expect(eventsOf(state, command)).toEqual([])
    },
  )

  test('given terms that another has set meanwhile, when one is changed, then the others stay', () => {
    const heavier: ChannelCommand = { type: 'ReviseChannel', changes: { weight: 9 } }
    const state = given(added, {
      type: 'ChannelRevised',
      data: { at: 2, ...TERMS, models: ['m'], priority: 4, weight: 1 },
    })
    const revised = { ...TERMS, models: ['m'], priority: 4, weight: 9 }
    expect(eventsOf(state, heavier)).toEqual([{ type: 'ChannelRevised', data: { at, ...revised } }])
  })

  test('given terms that a later rule refuses, when none is changed, then nothing happens', () => {
    // Its models are not as today's rules would leave them either.
    const terms = { ...TERMS, type: 21, models: ['gpt-4o', 'gpt-4o'] }
    const state = given({ type: 'ChannelAdded', data: { at: 1, ...terms } })
    expect(eventsOf(state, { type: 'ReviseChannel', changes: {} })).toEqual([])
    expect(reasonOf(state, { type: 'ReviseChannel', changes: { weight: 1 } })).toBe(
      'type-not-offered',
    )
  })

  test('given no channel, when added, then it is there with normalised terms and enabled', () => {
    const events = eventsOf(given(), { ...add, terms: { ...TERMS, groups: [] } })
    expect(events).toEqual([{ type: 'ChannelAdded', data: { at, ...TERMS } }])
    expect(given(...(events ?? []))).toMatchObject({
      status: 'enabled',
      terms: TERMS,
      statusAt: at,
    })
  })

  test('given its life, when folded, then status, reason, test and balance are the last ones', () => {
    const state = given(
      added,
      ...(eventsOf(given(added, autoDisabled), recordTest) ?? []),
      { type: 'ChannelBalanceRead', data: { at: 4, balanceUsd: '-0.5' } },
      { type: 'ChannelKeyReplaced', data: { at: 4 } },
      { type: 'ChannelRevised', data: { at: 5, ...TERMS, weight: 7 } },
      autoDisabled,
    )
    expect(state).toEqual({
      status: 'auto-disabled',
      terms: { ...TERMS, weight: 7 },
      reason: 'bad key',
      statusAt: 2,
      recovery: { failures: 1, retryAt: 60_002 },
      test: { at: 5, succeeded: false, durationMs: 12 },
      balance: { at: 4, usd: '-0.5' },
    })
    expect(eventsOf(state, halfOpen)).toEqual([
      { type: 'ChannelHalfOpened', data: { at, reason: 'test passed' } },
    ])
    expect(eventsOf(state, disable)).toEqual([
      { type: 'ChannelDisabled', data: { at, reason: 'maintenance' } },
    ])
  })

  test.each([
    ['a test of a channel in service', given(added), recordTest, 0],
    ['a test of one disabled by hand', given(added, disabled), recordTest, 0],
    ['a failed test of one out of service', given(added, autoDisabled), recordTest, 1],
    ['an early passed test of one out of service', given(added, autoDisabled), passedTest, 0],
    ['a due passed test of one out of service', given(added, autoDisabled, newKey), passedTest, 1],
    ['a balance', given(added), balance('3'), 0],
    ['the first balance without money', given(added), balance('0'), 1],
    ['one more balance without money', given(added, spent), balance('-1'), 0],
    ['money after none', given(added, spent), balance('3'), 1],
    ['one more, out of service', given(added, spent, autoDisabled), balance('-1'), 1],
  ] satisfies ReadonlyArray<readonly [string, ChannelState, ChannelCommand, number]>)(
    'given %s, when recorded, then it is an event where it changes the channel',
    (_, state, command, events) => {
      expect(eventsOf(state, command)?.length).toBe(events)
    },
  )

  test('given long upstream texts, when recorded, then the events keep 500 characters', () => {
    const [test] = eventsOf(given(added, autoDisabled), recordTest) ?? []
    expect(test?.data).toMatchObject({ error: 'x'.repeat(500), testedBy: 1 })
    const [ban] = eventsOf(given(added), { ...autoDisable, bodyExcerpt: 'y'.repeat(501) }) ?? []
    expect(ban?.data).toEqual({
      at,
      reason: 'bad key',
      upstreamStatus: 401,
      bodyExcerpt: 'y'.repeat(500),
    })
  })

  test('given a half-open channel, when its trial ends or it is switched, then it is in service or out', () => {
    const tried = given(added, autoDisabled, halfOpened)
    expect(tried).toMatchObject({ status: 'half-open', reason: 'test passed', statusAt: 3 })
    expect(eventsOf(tried, trialPassed)).toEqual([
      { type: 'ChannelAutoEnabled', data: { at, reason: '' } },
    ])
    expect(eventsOf(tried, trialLost)).toEqual([
      {
        type: 'ChannelTrialFailed',
        data: { at, reason: 'overloaded', upstreamStatus: 503, bodyExcerpt: 'z'.repeat(500) },
      },
    ])
    expect(eventsOf(tried, enable)).toEqual([{ type: 'ChannelEnabled', data: { at } }])
    expect(eventsOf(tried, disable)?.length).toBe(1)
  })

  test('given any commands, when events are folded again, then the state is the same; deleted stays so', () => {
    const commands: fc.Arbitrary<ChannelCommand> = fc.oneof(
      fc.constantFrom<ChannelCommand>(
        add,
        enable,
        disable,
        autoDisable,
        halfOpen,
        trialPassed,
        trialLost,
        recordTest,
        { type: 'ReplaceChannelKey' },
        { type: 'RecordBalance', balanceUsd: '1' },
        { type: 'DeleteChannel' },
      ),
      fc.integer({ min: -2, max: 9 }).map((weight): ChannelCommand => ({
        type: 'ReviseChannel',
        changes: { weight },
      })),
    )
    fc.assert(
      fc.property(fc.array(commands, { maxLength: 40 }), (sequence) => {
        const log: ChannelEvent[] = []
        let state = channelDecider.initial
        for (const command of sequence) {
          const decision = decideChannel(state, command, context)
          const events = decision.status === 'decided' ? decision.events : []
          expect(state.status === 'deleted' ? events : []).toEqual([])
          log.push(...events)
          state = events.reduce(evolveChannel, state)
        }
        expect(given(...log)).toEqual(state)
        expect(log.filter(({ type }) => type === 'ChannelAdded').length).toBeLessThanOrEqual(1)
      }),
    )
  })
})
