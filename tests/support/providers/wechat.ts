import { type ProviderServer, startProviderServer } from './provider-server.ts'

export const WECHAT_TOKEN = 'wechat-server-token'

/** The operator's WeChat server: it knows whom its account has sent which code. */
export interface WeChatStandIn extends ProviderServer {
  /** A person's WeChat id, and the code that they got. */
  sent(code: string, wechatId: string): void
}

export async function startWeChat(): Promise<WeChatStandIn> {
  const idByCode = new Map<string, string>()
  const server = await startProviderServer({
    'GET /api/wechat/user': ({ headers, query }) => {
      if (headers.authorization !== WECHAT_TOKEN) return { refused: 'wrong token' }
      const id = idByCode.get(query.get('code') ?? '')
      return id === undefined
        ? { json: { success: false, message: 'code unknown', data: '' } }
        : { json: { success: true, message: '', data: id } }
    },
  })
  return { ...server, sent: (code, wechatId) => void idByCode.set(code, wechatId) }
}
