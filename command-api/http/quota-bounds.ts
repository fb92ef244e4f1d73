/** Quota that one account or token can be given, as the account's decider has it: far within what adds up exactly. */
export const QUOTA_MOST = 1_000_000_000_000_000

/** What is wrong with an amount that a client asks for; null when nothing is. `what` is named in the message. */
export function whyQuotaUnfit(what: string, amount: number): string | null {
  if (amount < 0) return `${what}不能为负数`
  return amount > QUOTA_MOST ? `${what}不能超过 ${QUOTA_MOST}` : null
}

/** As above for an amount that a form had loaded, which late charges may have brought below zero. */
export const whyLoadedQuotaUnfit = (what: string, amount: number): string | null =>
  Math.abs(amount) > QUOTA_MOST ? `修改前的${what}须在 ±${QUOTA_MOST} 之内，请刷新页面后重试` : null
