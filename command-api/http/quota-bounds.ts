import { QUOTA_MAX } from '@tollgate/domain/account/limits.ts'

/** The fault in an amount that a client asks for; null when there is none. `what` is named in the message. */
export function quotaProblem(what: string, amount: number): string | null {
  if (amount < 0) return `${what}不能为负数`
  return amount > QUOTA_MAX ? `${what}不能超过 ${QUOTA_MAX}` : null
}

/** As above for an amount that a form had loaded, which late charges may have brought below zero. */
export const loadedQuotaProblem = (what: string, amount: number): string | null =>
  Math.abs(amount) > QUOTA_MAX ? `修改前的${what}须在 ±${QUOTA_MAX} 之内，请刷新页面后重试` : null
