import { parseRatio } from '../pricing/ratio.ts'

/** True for a balance (US dollars, decimal text) that pays for nothing more: at or below zero. */
export function isSpent(usd: string): boolean {
  const amount = parseRatio(usd)
  return amount !== null && amount.digits <= 0
}
