import { type QuotaNotation, quotaText } from '../quota-text.ts'

/** What the log says of an edit of a balance (console-api 2.5). */
export const adjustmentReason = (before: number, after: number, notation: QuotaNotation): string =>
  `管理员将用户额度从 ${quotaText(before, notation)}修改为 ${quotaText(after, notation)}`
