import { type DomainEvent, redemptionStream } from '@tollgate/domain/event.ts'
import { userId } from '@tollgate/domain/ids.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { redemptionDecider, type RedemptionCommand } from '@tollgate/domain/redemption/decider.ts'
import type { Decider } from '@tollgate/domain/decision.ts'

/** Redemption codes in every state they can be in: unused, revised, disabled, enabled, used, deleted. */
export function walletHistory(
  at: number,
): readonly { readonly stream: string; readonly event: DomainEvent }[] {
  const issue = { type: 'IssueCode', at, quota: quota(100_000), creator: userId(1) } as const
  const redeem = (user: number) => ({ type: 'RedeemCode', at: at + 9, user: userId(user) }) as const
  const codes: readonly (readonly RedemptionCommand[])[] = [
    [issue],
    [issue, { type: 'ReviseCode', at: at + 1, quota: quota(7) }],
    [issue, { type: 'DisableCode', at: at + 2 }],
    [issue, { type: 'DisableCode', at: at + 2 }, { type: 'EnableCode', at: at + 3 }],
    [issue, redeem(2)],
    [issue, { type: 'DeleteCode', at: at + 4 }],
    [issue, redeem(3), { type: 'DeleteCode', at: at + 10 }],
  ]
  return codes.flatMap((commands, index) =>
    decided(redemptionDecider, commands).map((event) => ({
      stream: redemptionStream(index + 1),
      event,
    })),
  )
}

function decided<State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event, unknown>,
  commands: readonly Command[],
): readonly Event[] {
  let state = decider.initial
  return commands.flatMap((command) => {
    const decision = decider.decide(state, command)
    if (decision.status === 'rejected') throw new Error('a made-up history was refused')
    state = decision.events.reduce((before, event) => decider.evolve(before, event), state)
    return decision.events
  })
}
