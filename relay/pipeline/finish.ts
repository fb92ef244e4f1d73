import { foreignText } from '@tollgate/domain/text.ts'
import { clientProtocol } from '../protocols/client-protocols.ts'
import { headersDown } from '../upstream/passed-headers.ts'
import type { Admission } from './admit.ts'
import type { Caller } from './authenticate.ts'
import type { ChargeOutcome } from './charge.ts'
import { CLIENT_LEFT } from './client-left.ts'
import type { RelayDeps } from './deps.ts'
import type { Exchange } from './exchange.ts'
import { type DeliveredStream, type Delivery, refusalOf, streamError } from './forward.ts'
import type { Metered } from './meter.ts'
import { type Refusal, refusal } from '../refusal.ts'
import { STOPPED } from './stopped.ts'

const MESSAGE_MAX = 1_000
/** The limit of a model's name and of an error's type and code. */
const NAME_MAX = 255

const NOT_DURABLE = refusal(
  503,
  'charge_not_durable',
  'the answer is complete but its charge could not be recorded in time; it will be charged once, do not repeat it',
  { mustNotRepeat: true },
)
const CHARGE_FAILED = refusal(
  500,
  'internal_error',
  'the answer could not be accounted for; report this request id to the operator',
  { mustNotRepeat: true },
)
const OUT_OF_QUOTA = refusal(
  403,
  'insufficient_user_quota',
  '用户额度不足 (insufficient quota): the stream was ended here, what was delivered is charged',
)

/** Sends the answer's last bytes, now that its charge stands, and notes a part that the client did not get. */
export function finish(
  exchange: Exchange,
  {
    admission,
    delivery,
    metered,
    charged,
  }: {
    readonly admission: Admission
    readonly delivery: Delivery
    readonly metered: Metered
    readonly charged: ChargeOutcome
  },
  deps: RelayDeps,
): void {
  if (delivery.kind === 'whole') {
    const failure = failureOfCharge(charged)
    if (failure !== null) {
      refuse(exchange, admission.caller, failure, deps)
      return
    }
    const { status, contentType, body, headers, channel } = delivery
    exchange.answer.send(status, contentType, body, headersDown(headers, channel))
    succeeded(admission.caller, deps)
    return
  }
  const failure = failureOfStream(delivery, charged)
  if (failure !== null && !exchange.answer.hasBegun) {
    refuse(exchange, admission.caller, failure, deps)
    return
  }
  delivery.delivery.begin()
  const { passage } = delivery.delivery
  if (failure === null) {
    exchange.answer.end(passage.closing(metered.usage, metered.estimated))
    succeeded(admission.caller, deps)
    return
  }
  const told = passage.refused(failure, exchange.id)
  if (passage.endsAsFailed === true && !failure.mustNotRepeat) exchange.answer.end(told)
  else exchange.answer.breakOff(told)
  note(exchange, admission.caller, failure, deps)
}

/** Answers a request that is not served, in the protocol's own shape; failures of known tokens are noted (type 5). */
export function refuse(
  exchange: Exchange,
  caller: Caller | null,
  why: Refusal,
  deps: RelayDeps,
): void {
  const headers = {
    ...why.headers,
    ...(why.retryAfterSeconds === null ? {} : { 'retry-after': why.retryAfterSeconds }),
    ...(why.mustNotRepeat ? { 'x-should-retry': 'false' } : {}),
  }
  const { answer, id, endpoint } = exchange
  const protocol = clientProtocol(endpoint.protocol)
  if (answer.hasBegun) answer.breakOff(protocol.refusedInStream(why, id, endpoint))
  else answer.send(why.status, 'application/json', protocol.refused(why, id), headers)
  if (caller !== null) note(exchange, caller, why, deps)
}

function failureOfCharge(charged: ChargeOutcome): Refusal | null {
  if (charged === 'late') return NOT_DURABLE
  return charged === 'failed' ? CHARGE_FAILED : null
}

function failureOfStream(delivery: DeliveredStream, charged: ChargeOutcome): Refusal | null {
  const unpaid = failureOfCharge(charged)
  if (unpaid !== null) return unpaid
  switch (delivery.end) {
    case 'complete':
      return null
    case 'cut-short':
      return OUT_OF_QUOTA
    case 'stopped':
      return STOPPED
    case 'left':
      return CLIENT_LEFT
    case 'failed':
      return refusalOf(streamError(delivery.delivery))
    default:
      return delivery.end satisfies never
  }
}

function succeeded(caller: Caller, { rateLimiter, directory }: RelayDeps): void {
  rateLimiter.succeeded(caller.user.id, directory.settings.rateLimit)
}

function note(exchange: Exchange, caller: Caller, why: Refusal, deps: RelayDeps): void {
  const attempts = exchange.attempts.kept
  deps.failures.record({
    account: caller.user.id,
    token: caller.token?.id ?? null,
    request: exchange.id,
    at: deps.clock.now(),
    model: foreignText(exchange.model, NAME_MAX),
    group: caller.group,
    channel: attempts.at(-1)?.channel ?? null,
    channelType: exchange.channelType,
    attempts,
    stream: exchange.stream,
    firstByteMs: exchange.firstByteMs,
    durationMs: Math.round(deps.clock.monotonicMs() - exchange.startedMs),
    status: why.status,
    errorType: foreignText(why.type, NAME_MAX),
    errorCode: foreignText(why.code, NAME_MAX),
    message: foreignText(why.message, MESSAGE_MAX),
    ...exchange.trace,
  })
}
