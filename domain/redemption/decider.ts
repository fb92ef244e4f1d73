import { QUOTA_MAX } from '../account/limits.ts'
import {
  type Decider,
  type Decision,
  type DecisionContext,
  decided,
  rejected,
} from '../decision.ts'
import type { UserId } from '../ids.ts'
import type { Quota } from '../quota.ts'
import type { RedemptionEvent } from './events.ts'
import { evolveRedemption } from './evolve.ts'
import { isLiveCode, type LiveCode, NO_CODE, type RedemptionState } from './state.ts'

export type RedemptionCommand =
  | {
      readonly type: 'IssueCode'
      readonly quota: Quota
      readonly creator: UserId
    }
  | ChangeOfCode

/** Commands to a code that is there. */
export type ChangeOfCode =
  /** A code of which only the name is edited keeps the quota that it has when this is decided. */
  | { readonly type: 'ReviseCode'; readonly quota?: Quota }
  | { readonly type: 'DisableCode' }
  | { readonly type: 'EnableCode' }
  | { readonly type: 'RedeemCode'; readonly user: UserId }
  | { readonly type: 'DeleteCode' }

export interface RedemptionRejection {
  readonly reason:
    | 'code-exists'
    | 'code-unknown'
    | 'quota-not-positive'
    | 'quota-too-large'
    | 'code-not-unused'
    | 'code-used'
}

type RedemptionDecision = Decision<RedemptionEvent, RedemptionRejection>

/** Decides a stream `redemption-<id>`. */
export const redemptionDecider: Decider<
  RedemptionState,
  RedemptionCommand,
  RedemptionEvent,
  RedemptionRejection
> = { initial: NO_CODE, decide: decideRedemption, evolve: evolveRedemption }

export function decideRedemption(
  state: RedemptionState,
  command: RedemptionCommand,
  { at }: DecisionContext,
): RedemptionDecision {
  if (command.type === 'IssueCode') {
    if (state.status !== 'unknown') return refuse('code-exists')
    const { quota, creator } = command
    if (quota <= 0) return refuse('quota-not-positive')
    if (quota > QUOTA_MAX) return refuse('quota-too-large')
    return decided({ type: 'CodeIssued', data: { at, quota, creator } })
  }
  if (!isLiveCode(state)) return refuse('code-unknown')
  return decideLive(state, command, at)
}

function decideLive(code: LiveCode, command: ChangeOfCode, at: number): RedemptionDecision {
  switch (command.type) {
    case 'ReviseCode': {
      const { quota } = command
      if (code.status !== 'unused') return refuse('code-not-unused')
      if (quota === undefined || quota === code.quota) return decided()
      if (quota <= 0) return refuse('quota-not-positive')
      if (quota > QUOTA_MAX) return refuse('quota-too-large')
      return decided({ type: 'CodeRevised', data: { at, quota } })
    }
    case 'DisableCode':
      if (code.status === 'used') return refuse('code-used')
      if (code.status === 'disabled') return decided()
      return decided({ type: 'CodeDisabled', data: { at } })
    case 'EnableCode':
      if (code.status === 'used') return refuse('code-used')
      if (code.status === 'unused') return decided()
      return decided({ type: 'CodeEnabled', data: { at } })
    case 'RedeemCode':
      // A user who tries a disabled code learns no more than that it cannot be used (console-api 2.4).
      if (code.status !== 'unused') return refuse('code-used')
      return decided({ type: 'CodeRedeemed', data: { at, user: command.user, quota: code.quota } })
    case 'DeleteCode':
      return decided({ type: 'CodeDeleted', data: { at } })
    default:
      return command satisfies never
  }
}

const refuse = (reason: RedemptionRejection['reason']): RedemptionDecision => rejected({ reason })
