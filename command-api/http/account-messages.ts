import type { AccountRejection } from '@tollgate/domain/account/rejections.ts'

/** The message in the console when an account refuses a command. */
export function accountRejectionMessage(rejection: AccountRejection): string {
  switch (rejection.reason) {
    case 'balance-exhausted':
      return '余额不足'
    case 'insufficient-quota':
      return `可用额度不足，当前可用额度为 ${rejection.available}`
    case 'insufficient-token-quota':
      return `令牌可用额度不足，当前可用额度为 ${rejection.available}`
    case 'insufficient-affiliate-quota':
      return '划转失败 邀请额度不足！'
    case 'token-unknown':
      return 'record not found'
    case 'token-expired':
      return '令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期'
    case 'token-exhausted':
      return '令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度'
    case 'token-not-active':
      return '令牌未启用'
    case 'token-already-issued':
      return '令牌已存在，请重试'
    case 'too-many-tokens':
      return '令牌数量或其限制列表已达上限，请先删除不再使用的令牌'
    case 'account-not-open':
    case 'account-already-open':
      return '账户尚未就绪，请稍后重试'
    case 'account-suspended':
      return '用户已被封禁'
    case 'amount-not-positive':
      return '额度必须大于 0'
    case 'amount-too-large':
      return '额度超出允许的最大值'
    case 'too-many-holds':
    case 'hold-ended':
    case 'extension-out-of-order':
    case 'other-timeline':
    case 'charge-unknown':
      return '账户正忙，请稍后重试'
    default:
      return rejection satisfies never
  }
}
