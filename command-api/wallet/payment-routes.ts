import { topUpStream } from '@tollgate/domain/event.ts'
import { tradeNo, userId } from '@tollgate/domain/ids.ts'
import { type ApiReply, type ApiRoute, callerOf, route } from '../http-contract/api-route.ts'
import { codedFailure } from '../http-contract/failure-code.ts'
import { withoutTrailing } from '@tollgate/domain/text.ts'
import { topUpDecider } from '@tollgate/domain/top-up/decider.ts'
import { z } from 'zod'
import { int, lenientBody, text } from '../http/body.ts'
import { causeOf } from '../http/cause.ts'
import type { RateLimit, RateLimiter } from '../identity/rate-limiter.ts'
import { type AggregateWriter, executeOn } from '../aggregates/aggregate.ts'
import type { LiveOptions } from '../options/live-options.ts'
import { type Entropy, randomAlphanumeric } from '../secrets/entropy.ts'
import { type EpayFields, isUnambiguous, withSign } from './epay.ts'
import { orderOf, TOO_CHEAP } from './top-up-order.ts'

export interface PaymentRouteDeps extends AggregateWriter {
  readonly options: LiveOptions
  readonly entropy: Entropy
  /** Orders of one user. */
  readonly orderLimit: RateLimiter
}

/** No person pays more often by hand; each order stays in the log for ever. */
export const ORDER_LIMIT: RateLimit = { attempts: 30, windowMs: 1_200_000 }
const TRADE_NO_LETTERS = 6

/** Answers without `success`: the problem stands in `data` (console-api 1.1). */
const refusal = (data: string): ApiReply => ({
  whole: { message: 'error', data, ...codedFailure(data) },
})
/** Beside a refusal's text. */
const CODED = {
  code: z.string().optional(),
  params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
}
const INVALID = refusal('参数错误')
const TOP_UP_OFF = '管理员未开启在线充值！'
const methods = z.enum(['zfb', 'wx'])
/** Members of both bodies. */
const TOP_UP_FIELDS = {
  amount: int().meta({
    description:
      'Amount to buy: whole US dollars while DisplayInCurrencyEnabled is on, else quota; at least MinTopUp dollars',
    minimum: 1,
  }),
  top_up_code: text().describe('Sent by old consoles; not read'),
} as const
const NO_ADDRESS = '管理员未填写服务器地址，暂时无法在线充值'

/** Online top-up by EPay (console-api 2.12): its cost, and an order to be paid at the gateway. */
export const paymentRoutes = (deps: PaymentRouteDeps): readonly ApiRoute[] => [
  amountRoute(deps),
  payRoute(deps),
]

const amountRoute = (deps: PaymentRouteDeps): ApiRoute =>
  route({
    method: 'POST',
    path: '/api/user/amount',
    access: 'user',
    changesState: false,
    summary: 'What a top-up would cost, as text with two decimals',
    body: lenientBody(TOP_UP_FIELDS),
    invalidBodyReply: INVALID,
    answer: {
      whole: z.object({ message: z.enum(['success', 'error']), data: z.string(), ...CODED }),
    },
    example: { body: { amount: 10 }, whole: { message: 'success', data: '73.00' } },
    handle: (request) => {
      const { userId: user, group } = callerOf(request)
      const { amount } = request.body
      if (merchantOf(deps.options) === null) return Promise.resolve(refusal(TOP_UP_OFF))
      const wanted = { user: userId(user), group, amount, method: 'zfb' } as const
      const order = orderOf(wanted, deps.options.current())
      if (order.status === 'refused') return Promise.resolve(refusal(order.message))
      if (!order.isOverACent) return Promise.resolve(refusal(TOO_CHEAP))
      return Promise.resolve({ whole: { message: 'success', data: order.terms.money } })
    },
  })

const payRoute = (deps: PaymentRouteDeps): ApiRoute =>
  route({
    method: 'POST',
    path: '/api/user/pay',
    access: 'user',
    summary: 'Order a top-up; answers the form that the browser posts to the gateway at url',
    body: lenientBody({
      ...TOP_UP_FIELDS,
      payment_method: text().meta({
        description: 'Way to pay at the gateway: zfb = Alipay, wx = WeChat Pay',
        enum: methods.options,
      }),
    }),
    invalidBodyReply: INVALID,
    answer: {
      whole: z.object({
        message: z.enum(['success', 'error']),
        data: z.union([z.record(z.string(), z.string()), z.string()]),
        url: z.string().optional(),
        ...CODED,
      }),
    },
    example: {
      body: { amount: 10, payment_method: 'zfb' },
      whole: { message: 'success', data: EXAMPLE_FORM, url: 'https://pay.example.com/submit.php' },
    },
    handle: async (request) => {
      const caller = callerOf(request)
      const user = userId(caller.userId)
      const { amount, payment_method: asked } = request.body
      const options = deps.options.current()
      const method = methods.safeParse(asked).data
      const wanted = { user, group: caller.group, amount, method: method ?? 'zfb' }
      const order = orderOf(wanted, options)
      if (order.status === 'refused') return refusal(order.message)
      if (method === undefined) return INVALID
      const configured = merchantOf(deps.options)
      if (configured === null) return refusal(TOP_UP_OFF)
      const { key, pid, address } = configured
      const url = submitUrl(address)
      if (url === null) return refusal('拉起支付失败')
      // Never the address that the request names: it would be signed.
      const own = options.text('ServerAddress')
      if (own === '') return refusal(NO_ADDRESS)
      const merchant = {
        pid,
        notify_url: `${options.text('CustomCallbackAddress') || own}/api/user/epay/notify`,
        return_url: `${own}/log`,
      }
      if (!isUnambiguous(merchant)) return refusal('拉起支付失败')
      const verdict = await deps.orderLimit.take(`order ${user}`)
      if (!verdict.isAllowed) return tooMany(verdict.retryAfterSeconds)
      const at = deps.clock.now()
      const number = await request.command.reserve(() =>
        Promise.resolve(tradeNo(user, randomAlphanumeric(deps.entropy, TRADE_NO_LETTERS), at)),
      )
      const outcome = await executeOn(
        deps,
        {
          stream: topUpStream(number),
          decider: topUpDecider,
          command: { type: 'RequestTopUp', terms: order.terms },
        },
        causeOf(request),
      )
      // One that exists was made by the same request, whose process died before it could answer.
      const isThere = outcome.status === 'done' || outcome.rejection.reason === 'order-exists'
      if (!isThere) return refusal('创建订单失败')
      const form: EpayFields = {
        ...merchant,
        type: method === 'zfb' ? 'alipay' : 'wxpay',
        out_trade_no: number,
        name: `TUC${amount}`,
        money: order.terms.money,
        device: 'pc',
      }
      return {
        whole: { message: 'success', data: withSign(form, key), url },
        ...(outcome.status === 'done' && { wrote: outcome.position }),
      }
    },
  })

/** The terms that the operator has agreed with a payment gateway; null while online top-up is off. */
function merchantOf(
  options: LiveOptions,
): { readonly key: string; readonly pid: string; readonly address: string } | null {
  const key = options.secret('EpayKey')
  const pid = options.current().text('EpayId')
  const address = options.current().text('PayAddress')
  return address === '' || pid === '' || key === '' ? null : { key, pid, address }
}

/** Where the browser posts the form; null when the operator's address is none. */
function submitUrl(address: string): string | null {
  const url = URL.parse(address)
  if (url === null) return null
  url.pathname = `${withoutTrailing(url.pathname, '/')}/submit.php`
  return url.href
}

/** As everywhere, but in the form of this route. */
const tooMany = (retryAfterSeconds: number): ApiReply => ({
  ...refusal('请求次数过多，请稍后再试！'),
  status: 429,
  headers: { 'Retry-After': String(retryAfterSeconds) },
})

const EXAMPLE_FORM: EpayFields = {
  pid: '1000',
  type: 'alipay',
  out_trade_no: 'USR7NOa1B2c31767225600',
  notify_url: 'https://gate.example.com/api/user/epay/notify',
  return_url: 'https://gate.example.com/log',
  name: 'TUC10',
  money: '73.00',
  device: 'pc',
  sign_type: 'MD5',
  sign: '2a1f6f1d1a3a0d6b4c1b3c0f5d8e7a90',
}
