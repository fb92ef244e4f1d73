import type { Decider, Decision, DecisionContext } from '../decision.ts'
import { decided, rejected } from '../decision.ts'
import { destinationOf } from './destination.ts'
import { parseRatio } from '../pricing/ratio.ts'
import { isSpent } from './balance.ts'
import type {
  ChannelAutoDisabled,
  ChannelBalanceRead,
  ChannelEvent,
  ChannelTerms,
  ChannelTested,
} from './events.ts'
import { foreignText } from '../text.ts'
import { evolveChannel } from './evolve.ts'
import type { ChannelState, LiveChannel } from './state.ts'
import { isLive, NO_CHANNEL } from './state.ts'
import type { TermsRejection } from './terms.ts'
import { normalisedTerms, termsProblem } from './terms.ts'

export type ChannelCommand =
  | { readonly type: 'AddChannel'; readonly terms: ChannelTerms }
  | ChangeOfChannel

/** Commands to a channel that is there. */
export type ChangeOfChannel =
  | ReviseChannel
  /** The key itself lies in `secrets.channels`. */
  | { readonly type: 'ReplaceChannelKey' }
  | { readonly type: 'EnableChannel' }
  | { readonly type: 'DisableChannel'; readonly reason: string }
  | AutoDisableChannel
  | HalfOpenChannel
  | ConcludeTrial
  | ({ readonly type: 'RecordTest' } & Omit<ChannelTested['data'], 'at'>)
  /** US dollars, decimal text; may be negative. */
  | { readonly type: 'RecordBalance'; readonly balanceUsd: string }
  | { readonly type: 'DeleteChannel' }

/**
 * Sets the named terms anew. All others stay as they are at the decision, also those that another command set
 * meanwhile.
 */
export interface ReviseChannel {
  readonly type: 'ReviseChannel'
  readonly changes: Partial<ChannelTerms>
  /**
   * Where the channel led when the change was asked for; left out by changes that do not depend on it. A channel that
   * leads elsewhere by now is left alone: the change was decided upon other terms, and address and key of two writers
   * must not mix.
   */
  readonly from?: Pick<ChannelTerms, 'type' | 'baseUrl'>
}

/** Takes a failing channel out of service. The component that reads upstream's answer masks the excerpt. */
export type AutoDisableChannel = {
  readonly type: 'AutoDisableChannel'
  /** Option AutomaticDisableChannelEnabled. */
  readonly isSwitchedOn: boolean
} & WhatUpstreamSaid

/**
 * Lets one request at a time through a channel that was taken out of service automatically, never one that a person
 * disabled.
 */
export interface HalfOpenChannel {
  readonly type: 'HalfOpenChannel'
  readonly reason: string
  /** Option AutomaticEnableChannelEnabled. */
  readonly isSwitchedOn: boolean
}

/** How the request went that a half-open channel was tried with; a channel in any other state has nothing to conclude. */
export type ConcludeTrial = { readonly type: 'ConcludeTrial' } & (
  | { readonly succeeded: true }
  | ({ readonly succeeded: false } & WhatUpstreamSaid)
)

export type ChannelRejection =
  | TermsRejection
  | {
      readonly reason:
        | 'channel-exists'
        | 'channel-unknown'
        | 'channel-moved'
        | 'automatic-disable-off'
        | 'channel-not-auto-ban'
        | 'automatic-enable-off'
        | 'channel-not-auto-disabled'
    }
  | { readonly reason: 'balance-invalid'; readonly balanceUsd: string }

type ChannelDecision = Decision<ChannelEvent, ChannelRejection>

/** Decides a stream `channel-<id>`. */
export const channelDecider: Decider<ChannelState, ChannelCommand, ChannelEvent, ChannelRejection> =
  { initial: NO_CHANNEL, decide: decideChannel, evolve: evolveChannel }

export function decideChannel(
  state: ChannelState,
  command: ChannelCommand,
  { at }: DecisionContext,
): ChannelDecision {
  if (command.type === 'AddChannel') {
    if (state.status !== 'unknown') return refuse('channel-exists')
    return add(command.terms, at)
  }
  if (!isLive(state)) return refuse('channel-unknown')
  return decideLive(state, command, at)
}

function decideLive(channel: LiveChannel, command: ChangeOfChannel, at: number): ChannelDecision {
  switch (command.type) {
    case 'ReviseChannel':
      return revise(channel, command, at)
    case 'ReplaceChannelKey':
      return decided({ type: 'ChannelKeyReplaced', data: { at } })
    case 'EnableChannel':
      if (channel.status === 'enabled') return decided()
      return decided({ type: 'ChannelEnabled', data: { at } })
    case 'DisableChannel': {
      if (channel.status === 'disabled') return decided()
      const reason = foreignText(command.reason, EXCERPT_LENGTH_MAX)
      return decided({ type: 'ChannelDisabled', data: { at, reason } })
    }
    case 'AutoDisableChannel':
      return autoDisable(channel, command, at)
    case 'HalfOpenChannel':
      return halfOpen(channel, command, at)
    case 'ConcludeTrial':
      return concludeTrial(channel, command, at)
    case 'RecordTest': {
      const { type: _type, ...test } = command
      return whenChanging(channel, { type: 'ChannelTested', data: cleanTest({ ...test, at }) })
    }
    case 'RecordBalance':
      if (parseRatio(command.balanceUsd) === null) {
        return rejected({ reason: 'balance-invalid', balanceUsd: command.balanceUsd })
      }
      return whenChanging(channel, {
        type: 'ChannelBalanceRead',
        data: { at, balanceUsd: command.balanceUsd },
      })
    case 'DeleteChannel':
      return decided({ type: 'ChannelDeleted', data: { at } })
    default:
      return command satisfies never
  }
}

/** The limit of upstream's own words in an event, in characters. */
const EXCERPT_LENGTH_MAX = 500
/** As long as a name in a channel's list may be (terms.ts). */
const MODEL_LENGTH_MAX = 255

type PlainReason = Exclude<
  ChannelRejection,
  TermsRejection | { readonly reason: 'balance-invalid' }
>['reason']
const refuse = (reason: PlainReason): ChannelDecision => rejected({ reason })

function add(asked: ChannelTerms, at: number): ChannelDecision {
  const terms = normalisedTerms(asked)
  const problem = termsProblem(terms)
  if (problem !== null) return rejected(problem)
  return decided({ type: 'ChannelAdded', data: { at, ...terms } })
}

function revise(
  channel: LiveChannel,
  { from, changes }: ReviseChannel,
  at: number,
): ChannelDecision {
  // Also when nothing would change: a key may have come with the terms, meant for where the channel led.
  const hasMoved = from !== undefined && destinationOf(from) !== destinationOf(channel.terms)
  if (hasMoved) return refuse('channel-moved')
  // A command that changes nothing keeps terms that a later rule would refuse.
  if (Object.keys(changes).length === 0) return decided()
  const terms = normalisedTerms({ ...channel.terms, ...changes })
  if (areSame(channel.terms, terms)) return decided()
  const problem = termsProblem(terms)
  if (problem !== null) return rejected(problem)
  return decided({ type: 'ChannelRevised', data: { at, ...terms } })
}

/** A channel that is out of service already stays as it is: reports of parallel requests come in together. */
function autoDisable(
  channel: LiveChannel,
  command: AutoDisableChannel,
  at: number,
): ChannelDecision {
  if (!command.isSwitchedOn) return refuse('automatic-disable-off')
  if (!channel.terms.autoBan) return refuse('channel-not-auto-ban')
  if (channel.status !== 'enabled') return decided()
  return decided({ type: 'ChannelAutoDisabled', data: whatUpstreamSaid(command, at) })
}

function halfOpen(channel: LiveChannel, command: HalfOpenChannel, at: number): ChannelDecision {
  if (!command.isSwitchedOn) return refuse('automatic-enable-off')
  if (channel.status === 'disabled') return refuse('channel-not-auto-disabled')
  if (channel.status !== 'auto-disabled') return decided()
  const data = { at, reason: foreignText(command.reason, EXCERPT_LENGTH_MAX) }
  return decided({ type: 'ChannelHalfOpened', data })
}

/** No switch is asked: the channel was let back by one, and not to conclude would leave it between two states. */
function concludeTrial(channel: LiveChannel, command: ConcludeTrial, at: number): ChannelDecision {
  if (channel.status !== 'half-open') return decided()
  return command.succeeded
    ? decided({ type: 'ChannelAutoEnabled', data: { at, reason: '' } })
    : decided({ type: 'ChannelTrialFailed', data: whatUpstreamSaid(command, at) })
}

type WhatUpstreamSaid = Omit<ChannelAutoDisabled['data'], 'at'>

const whatUpstreamSaid = (
  { reason, upstreamStatus, bodyExcerpt }: WhatUpstreamSaid,
  at: number,
): ChannelAutoDisabled['data'] => ({
  at,
  reason: foreignText(reason, EXCERPT_LENGTH_MAX),
  upstreamStatus,
  bodyExcerpt: foreignText(bodyExcerpt, EXCERPT_LENGTH_MAX),
})

/**
 * A test in the form that is stored, as an event or as telemetry: the length and characters of upstream's texts are
 * bounded.
 */
export const cleanTest = (test: ChannelTested['data']): ChannelTested['data'] => ({
  ...test,
  model: foreignText(test.model, MODEL_LENGTH_MAX),
  error: foreignText(test.error, EXCERPT_LENGTH_MAX),
})

/** A look at a channel is an event when what is done with the channel depends on it, else telemetry (decision 31). */
function whenChanging(
  channel: LiveChannel,
  event: ChannelTested | ChannelBalanceRead,
): ChannelDecision {
  const after = evolveChannel(channel, event)
  const isAsBefore =
    isLive(after) &&
    isOutOfMoney(after) === isOutOfMoney(channel) &&
    after.recovery?.failures === channel.recovery?.failures &&
    after.recovery?.retryAt === channel.recovery?.retryAt
  return isAsBefore ? decided() : decided(event)
}

const isOutOfMoney = ({ balance }: LiveChannel): boolean => balance !== null && isSpent(balance.usd)

/** Terms hold texts, numbers, flags and lists of texts, so comparing them field by field is enough. */
const areSame = (before: ChannelTerms, after: ChannelTerms): boolean =>
  (Object.keys(after) as ReadonlyArray<keyof ChannelTerms>).every(
    (name) => JSON.stringify(before[name]) === JSON.stringify(after[name]),
  )
