import { z } from 'zod'
import type { OutgoingFetch } from '../http/outgoing-fetch.ts'
import type { LiveOptions } from '../options/live-options.ts'

/** Null for a human (or when nobody asks); else what to tell the one who is not let on. */
export type HumanCheck = (token: string, ip: string) => Promise<string | null>

const VERIFY_URL = 'https://challenges.cloudflare.com/turnstile/v0/siteverify'
const TIMEOUT_MS = 5_000
const answerOfTurnstile = z.object({ success: z.boolean() })

/** Cloudflare Turnstile, while the option TurnstileCheckEnabled is on (console-api 1.5). */
export function turnstileCheck(deps: {
  readonly options: Pick<LiveOptions, 'current' | 'secret'>
  readonly fetch: OutgoingFetch
}): HumanCheck {
  const { options, fetch } = deps
  return async (token, ip) => {
    if (!options.current().flag('TurnstileCheckEnabled')) return null
    if (token === '') return 'Turnstile token 为空'
    const form = { secret: options.secret('TurnstileSecretKey'), response: token, remoteip: ip }
    try {
      const response = await fetch(VERIFY_URL, {
        method: 'POST',
        body: new URLSearchParams(form),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const answer = answerOfTurnstile.safeParse(await response.json())
      return answer.success && answer.data.success ? null : 'Turnstile 校验失败，请刷新重试！'
    } catch {
      // Unreachable, too slow or no JSON: nobody is let on unchecked, and may try again.
      return '无法连接至 Turnstile 服务器，请稍后重试！'
    }
  }
}
