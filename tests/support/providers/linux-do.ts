import { randomBytes } from 'node:crypto'
import { type ProviderServer, startProviderServer, whyUnfit } from './provider-server.ts'

export const LINUX_DO_CLIENT = { id: 'linux-do-client', secret: 'linux-do-secret' } as const

export interface LinuxDoPerson {
  readonly id: number
  readonly username: string
  readonly name?: string
}

/** Linux DO's two calls; it gives codes of one use for persons. */
export interface LinuxDoStandIn extends ProviderServer {
  readonly tokenUrl: string
  readonly userUrl: string
  codeFor(person: LinuxDoPerson): string
}

/** `origin` is what Tollgate must say of itself in redirect_uri. */
export async function startLinuxDo(origin: () => string): Promise<LinuxDoStandIn> {
  const byCode = new Map<string, LinuxDoPerson>()
  const byToken = new Map<string, LinuxDoPerson>()
  const { id, secret } = LINUX_DO_CLIENT
  const server = await startProviderServer({
    'POST /oauth2/token': ({ headers, body }) => {
      const form = new URLSearchParams(body)
      const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
      const unfit =
        whyUnfit({ authorization: basic }, (name) => headers[name]) ??
        whyUnfit(
          {
            grant_type: 'authorization_code',
            redirect_uri: `${origin()}/api/oauth/linuxdo`,
          },
          (name) => form.get(name),
        )
      if (unfit !== null) return { refused: unfit }
      const code = form.get('code') ?? ''
      const person = byCode.get(code)
      if (person === undefined) return { json: { message: 'code expired' } }
      byCode.delete(code)
      const token = randomBytes(8).toString('hex')
      byToken.set(token, person)
      return { json: { access_token: token, token_type: 'bearer' } }
    },
    'GET /api/user': ({ headers }) => {
      const person = byToken.get((headers.authorization ?? '').replace(/^Bearer /, ''))
      return person === undefined
        ? { refused: 'no token of ours' }
        : { json: { active: true, trust_level: 2, silenced: false, ...person } }
    },
  })
  return {
    ...server,
    tokenUrl: `${server.url}/oauth2/token`,
    userUrl: `${server.url}/api/user`,
    codeFor(person) {
      const code = randomBytes(8).toString('hex')
      byCode.set(code, person)
      return code
    },
  }
}
