import { z } from 'zod'
import { askProvider } from './ask-provider.ts'
import {
  type ProviderRequestDeps,
  refused,
  type SignUpProvider,
  type Vouching,
  vouched,
} from './provider.ts'

export const WECHAT: SignUpProvider = {
  kind: 'wechatId',
  option: 'WeChatAuthEnabled',
  namePrefix: 'wechat',
  offText: '管理员未开启通过微信登录以及注册',
  takenText: '该微信账号已被绑定',
}

const TEXTS = {
  unreachable: '无法连接至微信服务器，请稍后重试！',
  wrongCode: '验证码错误或已过期',
} as const

const answer = z.object({ success: z.boolean(), data: z.string().nullish() })

/** Asks the operator's WeChat server whose code this is: the account sends codes to people who write to it. */
export async function askWeChatServer(deps: ProviderRequestDeps, code: string): Promise<Vouching> {
  if (code === '') return refused('无效的参数')
  const { fetch, options } = deps
  const server = options.current().text('WeChatServerAddress')
  const asked = await askProvider(
    fetch,
    `${server}/api/wechat/user?code=${encodeURIComponent(code)}`,
    { headers: { authorization: options.secret('WeChatServerToken') } },
    answer,
  )
  if (asked.status !== 'answered') {
    return refused(TEXTS.unreachable, asked.reason)
  }
  const { success, data } = asked.value
  if (!success || !data) return refused(TEXTS.wrongCode)
  const profile = { id: data, username: '', displayName: 'WeChat User', email: '' }
  return vouched(profile, TEXTS.wrongCode)
}
