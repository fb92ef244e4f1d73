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

/** What can be done to a code that is there. */
export type ChangeOfCode =
  /** A code of which only the name is edited keeps the quota that it has when this is decided. */
  | { readonly type: 'ReviseCode'; readonly quota?: Quota }
  | { readonly type: 'DisableCode' }
  | { readonly type: 'EnableCode' }
  | { readonly type: 'RedeemCode'; readonly user: UserId }
  | { readonly type: 'DeleteCode' }

/** `message` is fit to be shown to the one who commands. */
export interface RedemptionRejection {
  readonly reason:
    | 'code-exists'
    | 'code-unknown'
    | 'quota-not-positive'
    | 'quota-too-large'
    | 'code-not-unused'
    | 'code-used'
  readonly message: string
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
    if (state.status !== 'unknown') return rejected(EXISTS)
    const { quota, creator } = command
    if (quota <= 0) return rejected(NOT_POSITIVE)
    if (quota > QUOTA_MAX) return rejected(TOO_LARGE)
    return decided({ type: 'CodeIssued', data: { at, quota, creator } })
  }
  if (!isLiveCode(state)) return rejected(UNKNOWN)
  return decideLive(state, command, at)
}

function decideLive(code: LiveCode, command: ChangeOfCode, at: number): RedemptionDecision {
  switch (command.type) {
    case 'ReviseCode': {
      const { quota } = command
      if (code.status !== 'unused') return rejected(NOT_UNUSED)
      if (quota === undefined || quota === code.quota) return decided()
      if (quota <= 0) return rejected(NOT_POSITIVE)
      if (quota > QUOTA_MAX) return rejected(TOO_LARGE)
      return decided({ type: 'CodeRevised', data: { at, quota } })
    }
    case 'DisableCode':
      if (code.status === 'used') return rejected(USED)
      if (code.status === 'disabled') return decided()
      return decided({ type: 'CodeDisabled', data: { at } })
    case 'EnableCode':
      if (code.status === 'used') return rejected(USED)
      if (code.status === 'unused') return decided()
      return decided({ type: 'CodeEnabled', data: { at } })
    case 'RedeemCode':
      // Whoever tries a disabled code learns no more than that it cannot be used (console-api 2.4).
      if (code.status !== 'unused') return rejected(USED)
      return decided({ type: 'CodeRedeemed', data: { at, user: command.user, quota: code.quota } })
    case 'DeleteCode':
      return decided({ type: 'CodeDeleted', data: { at } })
    default:
      return command satisfies never
  }
}

const EXISTS: RedemptionRejection = { reason: 'code-exists', message: '兑换码已存在' }
const UNKNOWN: RedemptionRejection = { reason: 'code-unknown', message: 'record not found' }
const NOT_POSITIVE: RedemptionRejection = {
  reason: 'quota-not-positive',
  message: '兑换码额度必须大于0',
}
const TOO_LARGE: RedemptionRejection = {
  reason: 'quota-too-large',
  message: `兑换码额度不能超过 ${QUOTA_MAX}`,
}
const NOT_UNUSED: RedemptionRejection = {
  reason: 'code-not-unused',
  message: '只有未使用的兑换码可以编辑',
}
const USED: RedemptionRejection = { reason: 'code-used', message: '该兑换码已被使用' }
