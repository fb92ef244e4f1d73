import { type RecordedEvent, topUpStream, type WrittenEvent } from '@tollgate/domain/event.ts'
import { readTradeNo, type TradeNo } from '@tollgate/domain/ids.ts'
import { type ApiReply, type ApiRoute, route } from '../http-contract/api-route.ts'
import { foreignText } from '@tollgate/domain/text.ts'
import { topUpDecider } from '@tollgate/domain/top-up/decider.ts'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { causeOf } from '../http/cause.ts'
import type { AccountLedger } from '../accounts/account-ledger.ts'
import { type AggregateWriter, executeOn } from '../aggregates/aggregate.ts'
import type { LiveOptions } from '../options/live-options.ts'
import { type EpayFields, isOfGateway, isSignedWith, isUnambiguous } from './epay.ts'
import { creditTopUp } from '../workflows/top-up-credit.ts'

export interface NotifyRouteDeps extends AggregateWriter {
  readonly options: LiveOptions
  readonly ledger: Pick<AccountLedger, 'execute'>
  readonly log: { warn(facts: object, message: string): void }
}

const SUCCESS: ApiReply = { whole: 'success' }
/** Gateways say it again later. */
const FAIL: ApiReply = { whole: 'fail' }
const GATEWAY_TRADE_NO_LENGTH_MAX = 64
/** Orders remembered as credited: repetitions of their notifications need not be looked for in the account's stream. */
const CREDITED_MAX = 10_000

/**
 * Where the gateway tells that an order was paid (console-api 2.12a). `success` goes out only when the credit is durable,
 * or when there is nothing to credit in a message that is genuine (decision 10).
 */
export function notifyRoute(deps: NotifyRouteDeps): ApiRoute {
  const credited = new LRUCache<TradeNo, true>({ max: CREDITED_MAX })
  return route({
    method: 'GET',
    path: '/api/user/epay/notify',
    access: 'public',
    changesState: true,
    summary: 'Notification of the EPay gateway, signed; answers success or fail as plain text',
    query: z.record(z.string(), z.unknown()),
    answer: { whole: z.enum(['success', 'fail']) },
    example: {
      query: {
        pid: '1000',
        trade_no: '2026010122001',
        out_trade_no: 'USR7NOa1B2c31767225600',
        type: 'alipay',
        name: 'TUC10',
        money: '73.00',
        trade_status: 'TRADE_SUCCESS',
        sign_type: 'MD5',
        sign: '2a1f6f1d1a3a0d6b4c1b3c0f5d8e7a90',
      },
      whole: 'success',
    },
    handle: async (request) => {
      const fields = textFields(request.query)
      const problem = signatureProblem(fields, deps.options)
      if (fields === null || problem !== null) return refused(deps, fields, problem)
      if (fields['trade_status'] !== 'TRADE_SUCCESS') return SUCCESS
      const order = readTradeNo(fields['out_trade_no'] ?? '')
      if (order === null) return refused(deps, fields, 'no order number of ours')
      const stream = topUpStream(order)
      const outcome = await executeOn(
        deps,
        {
          stream,
          decider: topUpDecider,
          command: {
            type: 'PayTopUp',
            money: fields['money'] ?? '',
            gatewayTradeNo: gatewayTradeNo(fields),
          },
        },
        causeOf(request),
      )
      if (outcome.status === 'rejected') return refused(deps, fields, outcome.rejection.reason)
      if (outcome.events.some(({ type }) => type === 'TopUpPaidAgain')) {
        const text =
          'payment: an order was paid again; nothing is credited for it, pay it back or credit it'
        deps.log.warn({ order, gatewayTradeNo: gatewayTradeNo(fields) }, text)
      }
      if (credited.has(order)) return SUCCESS
      const isPayment = ({ type }: WrittenEvent): boolean => type === 'TopUpPaid'
      const decision = outcome.events.find(isPayment) ?? (await earlierPayment(deps, stream))
      try {
        await creditTopUp(deps.ledger, decision)
      } catch (err) {
        deps.log.warn({ err, order }, 'a paid top-up is credited later')
        return FAIL
      }
      credited.set(order, true)
      return SUCCESS
    },
  })
}

/** The payment that the notification repeats. */
async function earlierPayment({ store }: NotifyRouteDeps, stream: string): Promise<RecordedEvent> {
  for await (const event of store.readStream(stream)) if (event.type === 'TopUpPaid') return event
  throw new TypeError(`${stream} is paid without an event that says so`)
}

/** Null for a query with a name twice, whose signed text would be ambiguous. */
function textFields(query: Readonly<Record<string, unknown>>): EpayFields | null {
  const entries = Object.entries(query)
  return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')
    ? Object.fromEntries(entries)
    : null
}

function signatureProblem(fields: EpayFields | null, options: LiveOptions): string | null {
  const [pid, key] = [options.current().text('EpayId'), options.secret('EpayKey')]
  if (fields === null) return 'a field is there twice'
  if (pid === '' || key === '') return 'payment is not configured'
  if (!isUnambiguous(fields)) return 'a field holds what separates fields'
  if (!isSignedWith(fields, key)) return 'the signature does not fit'
  if (!isOfGateway(fields)) return 'no words of a gateway'
  return fields['pid'] === pid ? null : 'another merchant'
}

/** An operator who looks for money that did not arrive finds the reason here. */
function refused(
  deps: NotifyRouteDeps,
  fields: EpayFields | null,
  reason: string | null,
): ApiReply {
  const order = foreignText(fields?.['out_trade_no'] ?? '', GATEWAY_TRADE_NO_LENGTH_MAX)
  deps.log.warn({ order, reason }, 'a payment notification was refused')
  return FAIL
}

const gatewayTradeNo = (fields: EpayFields): string =>
  foreignText(fields['trade_no'] ?? '', GATEWAY_TRADE_NO_LENGTH_MAX)
