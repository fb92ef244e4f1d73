import type { ApiReply, ApiRequest, CookieToSet } from '../http-contract/api-route.ts'
import { failure } from '../http-contract/api-route.ts'
import { z } from 'zod'
import type { OutgoingFetch } from '../http/outgoing-fetch.ts'
import { queryText } from '../http/query.ts'
import type { LiveOptions } from '../options/live-options.ts'
import { VISITOR_SECONDS, type Visitors } from './visitors.ts'

/** The facts by which a human sender is recognised. */
export interface Sender {
  /** Turnstile's token; '' = none. */
  readonly turnstile: string
  readonly ip: string
  readonly visitorToken: string | null
}

/** `visitor` is the cookie to set; undefined = as it is. */
export type HumanVerdict =
  | { readonly status: 'human'; readonly visitor?: CookieToSet }
  | { readonly status: 'refused'; readonly message: string }

export type HumanCheck = (sender: Sender) => Promise<HumanVerdict>

/** Turnstile's token, as a query carries it. */
export const queryTurnstile = () =>
  queryText().describe(
    'Token of the Turnstile widget; needed while TurnstileCheckEnabled is on, until the browser has passed once',
  )

const TIMEOUT_MS = 5_000
const answerOfTurnstile = z.object({ success: z.boolean() })

/**
 * Cloudflare Turnstile, while the option TurnstileCheckEnabled is on (console-api 1.5). A visitor who has passed is not
 * asked again while their row lasts: Turnstile takes each of its tokens once, and signing up takes several calls.
 */
export function turnstileCheck(deps: {
  readonly options: Pick<LiveOptions, 'current' | 'secret'>
  readonly visitors: Pick<Visitors, 'isHuman' | 'passHuman'>
  readonly fetch: OutgoingFetch
  readonly verifyUrl: string
}): HumanCheck {
  const { options, visitors, fetch, verifyUrl } = deps
  return async ({ turnstile, ip, visitorToken }) => {
    if (!options.current().flag('TurnstileCheckEnabled')) return { status: 'human' }
    if (await visitors.isHuman(visitorToken)) return { status: 'human' }
    if (turnstile === '') return refused('Turnstile token 为空')
    const form = { secret: options.secret('TurnstileSecretKey'), response: turnstile, remoteip: ip }
    try {
      const response = await fetch(verifyUrl, {
        method: 'POST',
        body: new URLSearchParams(form),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const answer = answerOfTurnstile.safeParse(await response.json())
      if (!answer.success || !answer.data.success) {
        return refused('Turnstile 校验失败，请刷新重试！')
      }
    } catch {
      // Unreachable, too slow or no JSON: no visitor passes unchecked, and each may try again.
      return refused('无法连接至 Turnstile 服务器，请稍后重试！')
    }
    const token = await visitors.passHuman(visitorToken)
    return { status: 'human', visitor: { token, maxAgeSeconds: VISITOR_SECONDS } }
  }
}

const refused = (message: string): HumanVerdict => ({ status: 'refused', message })

/** A handler that only humans reach. Its query has the field `turnstile`. */
export const humansOnly =
  <Params, Query extends { readonly turnstile: string }, Body>(
    check: HumanCheck,
    handle: (request: ApiRequest<Params, Query, Body>) => Promise<ApiReply>,
  ) =>
  async (request: ApiRequest<Params, Query, Body>): Promise<ApiReply> => {
    const { ip, visitorToken } = request
    const verdict = await check({ turnstile: request.query.turnstile, ip, visitorToken })
    if (verdict.status === 'refused') return failure(verdict.message)
    const reply = await handle(request)
    // Also when the handler refuses: the human has passed all the same.
    return verdict.visitor === undefined ? reply : { ...reply, visitor: verdict.visitor }
  }
