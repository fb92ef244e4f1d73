import type { ModelRequest } from '../protocols/model-request.ts'
import { isAllowedAddress } from './allowed-addresses.ts'
import type { Caller } from './authenticate.ts'
import type { RelayDeps } from './deps.ts'
import type { Exchange } from './exchange.ts'
import { isRefusal, type Refusal, refusal } from '../refusal.ts'
import { nothingToPlayWith } from './playground.ts'
import { previousResponse } from './previous-response.ts'

/** A request that may be served, and for whom. */
export interface Admission {
  readonly caller: Caller
  readonly request: ModelRequest
}

/**
 * Everything that can be said against a request before money is looked at, in this order: address, rate, form, group,
 * model limits, channel asked for, and whether any channel serves the model (relay-and-billing.md 1.3; seeds, rate
 * limits).
 */
export function admit(
  exchange: Exchange,
  caller: Caller,
  request: ModelRequest | Refusal,
  deps: RelayDeps,
): Admission | Refusal {
  const { directory, rateLimiter } = deps
  const { settings } = directory
  const terms = caller.token?.terms
  if (terms !== undefined && !isAllowedAddress(exchange.ip, terms.allowedIps)) {
    return refusal(403, 'ip_not_allowed', '您的 IP 不在令牌允许访问的列表中')
  }
  const limited = rateLimiter.admit(caller.user.id, caller.group, settings.rateLimit)
  if (limited !== null) return limited
  if (isRefusal(request)) return request
  exchange.model = request.model
  exchange.stream = request.stream
  return (
    wrongGroup(caller, deps) ??
    // A key that names its channel keeps its limits: it may have been handed on.
    wrongModel(caller, request.model) ??
    (caller.pinnedChannel === null ? null : wrongChannel(caller.pinnedChannel, deps)) ??
    goingOn(caller, request, deps)
  )
}

/** A request that goes on from a stored response is one for the channel that keeps it. */
function goingOn(caller: Caller, request: ModelRequest, deps: RelayDeps): Admission | Refusal {
  const previous = previousResponse(caller, request, deps)
  if (previous === null) {
    const unserved = caller.pinnedChannel === null ? notServed(caller, request, deps) : null
    return unserved ?? { caller, request }
  }
  if (isRefusal(previous)) return previous
  const { channel, id, tokens } = previous
  return {
    caller: { ...caller, pinnedChannel: String(channel) },
    request: { ...request, previous: { id, tokens } },
  }
}

function wrongGroup(caller: Caller, { directory }: RelayDeps): Refusal | null {
  const { usableGroups, priceBook } = directory.settings
  const { group, user } = caller
  if (group === user.group) return null
  if (!usableGroups.has(group)) {
    return refusal(403, 'group_not_allowed', `令牌分组 ${group} 已被禁用`)
  }
  if (!priceBook.groupRatios.has(group)) {
    return refusal(403, 'group_deprecated', `分组 ${group} 已被弃用`)
  }
  return null
}

function wrongChannel(pinned: string, { directory }: RelayDeps): Refusal | null {
  const channel = /^\d{1,15}$/.test(pinned) ? directory.channel(Number(pinned)) : null
  if (channel === null) return refusal(400, 'invalid_channel_id', '无效的渠道 Id')
  return channel.isEnabled ? null : refusal(403, 'channel_disabled', '该渠道已被禁用')
}

function wrongModel(caller: Caller, model: string): Refusal | null {
  const models = caller.token?.terms.models ?? null
  if (models === null || models.includes(model)) return null
  return refusal(403, 'model_not_allowed', `该令牌无权访问模型 ${model}`, { param: 'model' })
}

function notServed(caller: Caller, request: ModelRequest, deps: RelayDeps): Refusal | null {
  const { model, endpoint } = request
  const { group } = caller
  const question = { group, model, operation: endpoint.mode, failed: NONE_FAILED, attempt: 0 }
  const { directory } = deps
  if (directory.choose(question) !== null || directory.mayTry(question)) return null
  if (endpoint.isPlayground || directory.isListed(model)) return noChannel({ caller, request })
  const text = `The model '${model}' does not exist: no channel lists it (无可用渠道)`
  return refusal(404, 'model_not_found', text, { param: 'model' })
}

const NONE_FAILED: ReadonlySet<never> = new Set<never>()

/**
 * No channel can serve the model in the group now: those that list it are disabled, cooling down, of other groups, or
 * of types that do not serve the operation. That may change, so the refusal asks clients to come back. An unknown model
 * is 404, which no client repeats.
 */
export function noChannel({ caller: { group }, request: { model, endpoint } }: Admission): Refusal {
  if (endpoint.isPlayground) return nothingToPlayWith(group, model)
  const text = `当前分组 ${group} 下对于模型 ${model} 无可用渠道`
  return refusal(503, 'no_available_channel', text, { retryAfterSeconds: CHANNEL_RETRY_SECONDS })
}

/** Channels come back after a test, an edit or a trial: within seconds at the earliest. */
const CHANNEL_RETRY_SECONDS = 10
