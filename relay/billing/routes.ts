import type { FastifyReply, FastifyRequest } from 'fastify'
import type { BillingSettings } from '../directory/facts.ts'
import { isAllowedAddress } from '../pipeline/allowed-addresses.ts'
import { authenticate, type Caller } from '../pipeline/authenticate.ts'
import type { RelayDeps } from '../pipeline/deps.ts'
import { sendRefusal } from '../send-refusal.ts'
import type { QuotaFigures } from './billing-source.ts'
import { protocolAt } from '../protocols/client-protocols.ts'
import { isRefusal, type Refusal, refusal } from '../refusal.ts'

/** The limit that is shown for an unlimited token, in the unit of the figures; clients know this number. */
const UNLIMITED_AMOUNT = 100_000_000

/**
 * GET /dashboard/billing/subscription and /usage, also under /v1: the figures of a key that OpenAI's clients ask for
 * (relay-and-billing.md 2). Figures of the key or, by option, of its user; in US dollars or raw quota. Dates are not
 * looked at.
 */
export async function showSubscription(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: RelayDeps,
): Promise<FastifyReply> {
  const asked = await figuresFor(request, deps)
  if (isRefusal(asked)) return sendRefusal(request, reply, asked)
  const { caller, figures } = asked
  const { billing } = deps.directory.settings
  const terms = billing.isOfToken ? caller.token?.terms : undefined
  const limit =
    terms?.unlimited === true ? UNLIMITED_AMOUNT : shown(figures.remaining + figures.used, billing)
  return reply.send({
    object: 'billing_subscription',
    has_payment_method: true,
    soft_limit_usd: limit,
    hard_limit_usd: limit,
    system_hard_limit_usd: limit,
    access_until: Math.floor((terms?.expiresAt ?? 0) / 1000),
  })
}

/** The same for the used quota, in hundredths. */
export async function showUsage(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: RelayDeps,
): Promise<FastifyReply> {
  const asked = await figuresFor(request, deps)
  if (isRefusal(asked)) return sendRefusal(request, reply, asked)
  const used = shown(asked.figures.used * 100, deps.directory.settings.billing)
  return reply.send({ object: 'list', total_usage: used })
}

interface Asked {
  readonly caller: Caller
  readonly figures: QuotaFigures
}

async function figuresFor(request: FastifyRequest, deps: RelayDeps): Promise<Asked | Refusal> {
  const { directory, clock, billing } = deps
  const caller = await authenticate(
    protocolAt(request.url, request.headers).keyIn(request.headers, request.query),
    directory,
    clock,
  )
  if (isRefusal(caller)) return caller
  if (!isAllowedAddress(request.ip, caller.token?.terms.allowedIps ?? [])) return NOT_ALLOWED
  const { token, user } = caller
  const isOfToken = directory.settings.billing.isOfToken && token !== null
  const figures = isOfToken
    ? await billing.tokenFigures(token.id)
    : await billing.userFigures(user.id)
  return figures === null ? NOT_YET : { caller, figures }
}

const NOT_ALLOWED = refusal(403, 'ip_not_allowed', '您的 IP 不在令牌允许访问的列表中')
const NOT_YET = refusal(
  503,
  'temporarily_unavailable',
  'this key is so new that its figures are not there yet; try again',
  { retryAfterSeconds: 2 },
)

const shown = (amount: number, { inCurrency, quotaPerUnit }: BillingSettings): number =>
  inCurrency ? amount / quotaPerUnit : amount
