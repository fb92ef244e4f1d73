import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { numberOfStream, type RecordedEvent } from '@tollgate/domain/event.ts'
import { userId } from '@tollgate/domain/ids.ts'
import { quota } from '@tollgate/domain/quota.ts'
import type { UserRegistered } from '@tollgate/domain/user/events.ts'
import type { AccountLedger } from '../accounts/account-ledger.ts'
import type { EventTriggeredWorkflow, Step } from './manager/workflow.ts'
import { StepRejected } from './manager/step-rejected.ts'

export interface InvitationDeps {
  readonly ledger: Pick<AccountLedger, 'execute'>
}

/**
 * Pays the rewards of an invitation, as noted when the user registered: quota to the invited user, an affiliate reward
 * to the inviter (console-api 2.2a). The inviter's count of invitations comes from the registration itself.
 */
export const invitationReward = (deps: InvitationDeps): EventTriggeredWorkflow => ({
  from: 'event',
  kind: 'invitation',
  streamPrefixes: ['user-'],
  eventTypes: ['UserRegistered'],
  isDecidedBy: (event) => invitationSteps(deps, event).length > 0,
  steps: (event) => invitationSteps(deps, event),
})

/** The steps that a registration asks for; none without an inviter or a reward. */
export function invitationSteps({ ledger }: InvitationDeps, event: RecordedEvent): readonly Step[] {
  const { inviter, invitation } = (event as RecordedEvent & UserRegistered).data
  if (inviter === null || invitation === null) return []
  const invitee = userId(numberOfStream(event.stream))
  const { inviteeReward, inviterReward } = invitation

  const pay = async (
    account: number,
    command: AccountCommand,
    eventType: AccountEvent['type'],
  ): Promise<void> => {
    const outcome = await ledger.execute(
      userId(account),
      command,
      { actor: 'system', correlationId: event.metadata.correlationId, causationId: event.id },
      { deduplicateFrom: { eventType, position: event.position } },
    )
    if (outcome.status === 'rejected') throw new StepRejected(outcome.rejection.reason)
  }
  const credit: Step = {
    name: 'credit the invited',
    act: () =>
      pay(
        invitee,
        {
          type: 'CreditQuota',
          amount: quota(inviteeReward),
          source: 'invitation',
          reason: '',
        },
        'QuotaCredited',
      ),
  }
  const reward: Step = {
    name: 'reward the inviter',
    act: () =>
      pay(
        inviter,
        { type: 'EarnAffiliateReward', amount: quota(inviterReward), invitee },
        'AffiliateRewardEarned',
      ),
  }
  return [...(inviteeReward > 0 ? [credit] : []), ...(inviterReward > 0 ? [reward] : [])]
}
