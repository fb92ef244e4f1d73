import { type DomainEvent, redemptionStream, topUpStream } from '@tollgate/domain/event.ts'
import { tradeNo, userId } from '@tollgate/domain/ids.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { redemptionDecider, type RedemptionCommand } from '@tollgate/domain/redemption/decider.ts'
import { topUpDecider, type TopUpCommand } from '@tollgate/domain/top-up/decider.ts'
import type { TopUpTerms } from '@tollgate/domain/top-up/events.ts'
import type { Decider } from '@tollgate/domain/decision.ts'

/**
 * Redemption codes and top-up orders in every state they can be in: codes 1 to 7 (unused, revised, disabled, enabled,
 * used, deleted, used and deleted), orders `USR2NOorder1…` to 4 (pending, paid, given up, given up and paid twice).
 */
export function walletHistory(
  at: number,
): readonly { readonly stream: string; readonly event: DomainEvent }[] {
  const issue = { type: 'IssueCode', at, quota: quota(100_000), creator: userId(1) } as const
  const redeem = (user: number) => ({ type: 'RedeemCode', at: at + 9, user: userId(user) }) as const
  const codes: readonly (readonly Dated<RedemptionCommand>[])[] = [
    [issue],
    [issue, { type: 'ReviseCode', at: at + 1, quota: quota(7) }],
    [issue, { type: 'DisableCode', at: at + 2 }],
    [issue, { type: 'DisableCode', at: at + 2 }, { type: 'EnableCode', at: at + 3 }],
    [issue, redeem(2)],
    [issue, { type: 'DeleteCode', at: at + 4 }],
    [issue, redeem(3), { type: 'DeleteCode', at: at + 10 }],
  ]
  const request = { type: 'RequestTopUp', at, terms: ORDER } as const
  const pay = { type: 'PayTopUp', at: at + 5, money: '7.3', gatewayTradeNo: 'G\u00001' } as const
  const abandon = { type: 'AbandonTopUp', at: at + 4 } as const
  const orders: readonly (readonly Dated<TopUpCommand>[])[] = [
    [request],
    [request, pay],
    [request, abandon],
    [request, abandon, pay, { ...pay, at: at + 6, gatewayTradeNo: 'G\u00002' }],
  ]
  const ofCodes = codes.flatMap((commands, index) =>
    decided(redemptionDecider, commands).map((event) => ({
      stream: redemptionStream(index + 1),
      event,
    })),
  )
  const ofOrders = orders.flatMap((commands, index) =>
    decided(topUpDecider, commands).map((event) => ({
      stream: topUpStream(tradeNo(ORDER.user, `order${index + 1}`, at)),
      event,
    })),
  )
  return [...ofCodes, ...ofOrders]
}

const ORDER: TopUpTerms = {
  user: userId(2),
  quota: quota(500_000),
  money: '7.30',
  method: 'wx',
  amount: 1,
  unit: 'usd',
  price: '7.3',
  group: 'default',
  groupRatio: '1',
  quotaPerUnit: '500000',
}

/** A command and when it is decided, unix milliseconds. */
type Dated<Command> = Command & { readonly at: number }

function decided<State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event, unknown>,
  commands: readonly Dated<Command>[],
): readonly Event[] {
  let state = decider.initial
  return commands.flatMap((command, nextRevision) => {
    const decision = decider.decide(state, command, { at: command.at, nextRevision })
    if (decision.status === 'rejected') throw new Error('a made-up history was refused')
    state = decision.events.reduce((before, event) => decider.evolve(before, event), state)
    return decision.events
  })
}
