import { userId } from '@tollgate/domain/ids.ts'
import {
  type ApiReply,
  type ApiRoute,
  callerOf,
  failure,
  route,
} from '@tollgate/domain/ports/api-route.ts'
import { z } from 'zod'
import { lenientBody, text } from '../http/body.ts'
import { causeOf } from '../http/cause.ts'
import type { RateLimit, RateLimiter } from '../identity/rate-limiter.ts'
import { type RedeemDeps, redeemCode } from './redeem-code.ts'

export interface RedeemRouteDeps extends RedeemDeps {
  /** Attempts of one user, whatever addresses they come from. */
  readonly redeemLimit: RateLimiter
  readonly log: { warn(facts: object, message: string): void }
}

/** As many attempts as the critical limit leaves an address, counted by user: nobody guesses codes from many addresses. */
export const REDEEM_LIMIT: RateLimit = { attempts: 20, windowMs: 1_200_000 }

/** Redeeming a code (console-api 2.4): POST /api/user/topup. */
export const redeemRoute = (deps: RedeemRouteDeps): ApiRoute =>
  route({
    method: 'POST',
    path: '/api/user/topup',
    access: 'user',
    isCritical: true,
    summary: 'Redeem a code; answers the quota that was added',
    body: lenientBody({ key: text() }),
    answer: { data: z.int() },
    example: { body: { key: '1f0c2a9be64d4c7c8b1f3f5a7d9e2b40' }, data: 100_000 },
    handle: async (request) => {
      const code = request.body.key.trim()
      if (code === '') return failure('未提供兑换码')
      const user = userId(callerOf(request).userId)
      const verdict = await deps.redeemLimit.take(`redeem ${user}`)
      if (!verdict.isAllowed) return tooMany(verdict.retryAfterSeconds)
      const redeemed = await redeemCode(deps, user, code, causeOf(request))
      switch (redeemed.status) {
        case 'credited':
          return { data: redeemed.quota, wrote: redeemed.position }
        case 'owed':
          deps.log.warn({ err: redeemed.cause, user }, 'a redeemed code is credited later')
          return failure('兑换码已使用成功，额度稍后到账，请勿重复兑换')
        case 'refused':
          return failure(`兑换失败，${redeemed.message}`)
        default:
          return redeemed satisfies never
      }
    },
  })

const tooMany = (retryAfterSeconds: number): ApiReply => ({
  ...failure('请求次数过多，请稍后再试！', 429),
  headers: { 'Retry-After': String(retryAfterSeconds) },
})
