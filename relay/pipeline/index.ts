import { priceToReserve } from '@tollgate/domain/pricing/price-factors.ts'
import { admit } from './admit.ts'
import type { Caller } from './authenticate.ts'
import { billOf, charge } from './charge.ts'
import type { RelayDeps } from './deps.ts'
import type { Exchange } from './exchange.ts'
import { countTokens } from './count-tokens.ts'
import { finish, refuse } from './finish.ts'
import { forward } from './forward.ts'
import { hold } from './hold.ts'
import { meter } from './meter.ts'
import { price } from './price.ts'
import type { ModelRequest } from '../protocols/model-request.ts'
import { isRefusal, type Refusal } from '../refusal.ts'
import { screen } from './screen.ts'

/**
 * The life of a request, top to bottom: authenticate and receive (done by the route, which knows whether a token or a
 * session speaks) → admit → price → hold → screen → route and forward → meter → charge → finish. Each step answers what the next one
 * needs or a Refusal, which ends the request in the protocol's own error shape. Route and forward are one loop
 * (forward.ts): while nothing has reached the client, another channel may be tried.
 */
export async function serve(
  exchange: Exchange,
  authenticated: Caller | Refusal,
  received: ModelRequest | Refusal,
  deps: RelayDeps,
): Promise<void> {
  if (isRefusal(authenticated)) return refuse(exchange, null, authenticated, deps)

  const admission = admit(exchange, authenticated, received, deps)
  if (isRefusal(admission)) return refuse(exchange, authenticated, admission, deps)

  if (admission.request.endpoint.countsOnly === true) return countTokens(exchange, admission, deps)

  const agreed = price(admission, deps)
  if (isRefusal(agreed)) return refuse(exchange, authenticated, agreed, deps)

  const { model, terms = {}, cacheWrites } = admission.request
  const unasked = deps.unaskedWrites.expects(model) ? UNASKED_LIFETIME : undefined
  const reserved = priceToReserve(agreed, terms, cacheWrites ?? unasked)
  const drawn = hold(exchange, admission, reserved, deps)
  const coverage = drawn instanceof Promise ? await drawn : drawn
  if (isRefusal(coverage)) return refuse(exchange, authenticated, coverage, deps)

  exchange.admittedAt = deps.clock.now()
  let isSettled = false
  try {
    const screened = screen(admission, deps)
    const invalid = screened instanceof Promise ? await screened : screened
    if (invalid !== null) return refuse(exchange, authenticated, invalid, deps)

    const delivery = await forward({ exchange, admission, price: reserved, coverage }, deps)
    if (isRefusal(delivery)) return refuse(exchange, authenticated, delivery, deps)

    const measured = meter(exchange, admission.request, delivery, deps)
    const metered = measured instanceof Promise ? await measured : measured

    const bill = billOf(exchange, { admission, price: agreed, delivery, metered }, deps)
    if (bill === null)
      return finish(exchange, { admission, delivery, metered, charged: 'nothing' }, deps)

    isSettled = true
    const charged = await charge(exchange, { admission, coverage, bill }, deps)
    return finish(exchange, { admission, delivery, metered, charged }, deps)
  } finally {
    // Any failure before the charge gives the reservation back.
    if (!isSettled) coverage.reservation.release()
  }
}

/** OpenAI's is 30 minutes, at the price of Anthropic's shorter one. */
const UNASKED_LIFETIME = '5m'
