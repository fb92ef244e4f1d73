import { userId } from '@tollgate/domain/ids.ts'
import { type ApiRoute, callerOf, failure, route } from '../http-contract/api-route.ts'
import { z } from 'zod'
import { lenientBody, text } from '../http/body.ts'
import { causeOf } from '../http/cause.ts'
import { tooManyRequests } from '../http/too-many.ts'
import type { FailureLimiter, RateLimit } from '../identity/rate-limiter.ts'
import { type RedeemDeps, redeemCode } from './redeem-code.ts'

export interface RedeemRouteDeps extends RedeemDeps {
  /** Codes that were refused, by user. */
  readonly userLimit: FailureLimiter
  /** Codes that were refused, by address. */
  readonly addressLimit: FailureLimiter
  readonly log: { warn(facts: object, message: string): void }
}

/** As many wrong codes as the critical limit leaves to guesses of other kinds, over all addresses of a user. */
export const REDEEM_USER_LIMIT: RateLimit = { attempts: 20, windowMs: 1_200_000 }
/** More, as many users may share an address; codes have 128 bits, so it is load that is limited, not luck. */
export const REDEEM_ADDRESS_LIMIT: RateLimit = { attempts: 100, windowMs: 1_200_000 }

/** Redeeming a code (console-api 2.4): POST /api/user/topup. */
export const redeemRoute = (deps: RedeemRouteDeps): ApiRoute =>
  route({
    method: 'POST',
    path: '/api/user/topup',
    access: 'user',
    summary: 'Redeem a code; answers the quota that was added',
    body: lenientBody({
      key: text().describe('Redemption code; spaces around it do not count'),
    }),
    answer: { data: z.int() },
    example: { body: { key: '1f0c2a9be64d4c7c8b1f3f5a7d9e2b40' }, data: 100_000 },
    handle: async (request) => {
      const code = request.body.key.trim()
      if (code === '') return failure('请输入兑换码！')
      const user = userId(callerOf(request).userId)
      const [ofUser, ofAddress] = [`redeem:${user}`, `redeem-from:${request.ip}`]
      const byUser = await deps.userLimit.take(ofUser)
      if (!byUser.isAllowed) return tooManyRequests(byUser.retryAfterSeconds)
      const byAddress = await deps.addressLimit.take(ofAddress)
      if (!byAddress.isAllowed) return tooManyRequests(byAddress.retryAfterSeconds)
      const redeemed = await redeemCode(deps, user, code, causeOf(request))
      switch (redeemed.status) {
        case 'credited':
          // A user with right codes does not guess.
          await Promise.all([
            deps.userLimit.forget(ofUser),
            deps.addressLimit.forget(ofAddress),
            // The credit stands, also when this fails.
          ]).catch((err: unknown) => deps.log.warn({ err }, 'attempts at codes were not forgotten'))
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
