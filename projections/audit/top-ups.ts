import { evolveTopUp, topUpDecider, type TopUpState } from '@tollgate/domain/top-up/decider.ts'
import { storableText } from '@tollgate/domain/text.ts'
import type { TopUpEvent } from '@tollgate/domain/top-up/events.ts'
import type { Recorded } from '../runner/projected-events.ts'
import { type FurtherPayment, orderOf } from '../top-ups/projector.ts'
import { type Comparison, compareTable, type Figure, type ExpectedModel } from './expected-model.ts'

interface ExpectedOrder {
  state: TopUpState
  requestedAt: number
  paidAt: number | null
  gatewayTradeNo: string
  readonly further: FurtherPayment[]
  abandonedAt: number | null
}

/** Every order at the payment gateway by the domain's own fold. */
export function expectTopUps(): ExpectedModel {
  const orders = new Map<string, ExpectedOrder>()

  function take(event: Recorded): void {
    if (!isOfTopUp(event)) return
    const number = orderOf(event.stream)
    const order = orders.get(number) ?? {
      state: topUpDecider.initial,
      requestedAt: event.data.at,
      paidAt: null,
      gatewayTradeNo: '',
      further: [],
      abandonedAt: null,
    }
    order.state = evolveTopUp(order.state, event)
    if (event.type === 'TopUpPaid') {
      order.paidAt = event.data.at
      order.gatewayTradeNo = event.data.gatewayTradeNo
    }
    if (event.type === 'TopUpPaidAgain') {
      const { gatewayTradeNo, money, at } = event.data
      order.further.push({ gateway_trade_no: storableText(gatewayTradeNo), money, paid_at: at })
    }
    if (event.type === 'TopUpAbandoned') order.abandonedAt = event.data.at
    orders.set(number, order)
  }

  async function compare(comparison: Comparison): Promise<void> {
    const expected = [...orders].filter(([, { state }]) => state.status !== 'unknown')
    await compareTable(comparison, 'orders', {
      rows: comparison.rows<{ trade_no: string }>('select * from top_ups.orders'),
      expected: new Map(expected.map(([number, order]) => [`order ${number}`, orderRow(order)])),
      keyOf: (row) => `order ${row.trade_no}`,
    })
  }

  return { model: 'top-ups', tables: ['orders'], take, compare }
}

const isOfTopUp = (event: Recorded): event is Recorded<TopUpEvent> => event.type.startsWith('TopUp')

function orderRow(order: ExpectedOrder): Readonly<Record<string, Figure>> {
  const { state, requestedAt, paidAt, gatewayTradeNo, further, abandonedAt } = order
  const dates = { requested_at: requestedAt, paid_at: paidAt, abandoned_at: abandonedAt }
  if (state.status === 'unknown') return dates
  const { terms } = state
  return {
    ...dates,
    user_id: terms.user,
    status: state.status,
    quota: terms.quota,
    money: terms.money,
    method: terms.method,
    amount: terms.amount,
    unit: terms.unit,
    price: terms.price,
    group_name: storableText(terms.group),
    group_ratio: terms.groupRatio,
    quota_per_unit: terms.quotaPerUnit,
    gateway_trade_no: storableText(gatewayTradeNo),
    further_payments: JSON.stringify(further),
  }
}
