import { randomBytes } from 'node:crypto'
import { type ProviderServer, startProviderServer, problemOf } from './provider-server.ts'

export const LINUX_DO_CLIENT = { id: 'linux-do-client', secret: 'linux-do-secret' } as const

export interface LinuxDoPerson {
  readonly id: number
  readonly username: string
  readonly name?: string
}

/** Linux DO: its page of signing in and its two calls; it gives codes of one use for persons. */
export interface LinuxDoStandIn extends ProviderServer {
  /** From now on this person is signed in there and lets the client in, or not (null); its callback page is this one. */
  visitedBy(person: LinuxDoPerson | null, callback: string): void
  codeFor(person: LinuxDoPerson): string
}

/** `origin` is what Tollgate must say of itself in redirect_uri. */
export async function startLinuxDo(origin: () => string): Promise<LinuxDoStandIn> {
  const byCode = new Map<string, LinuxDoPerson>()
  const byToken = new Map<string, LinuxDoPerson>()
  let visitor: { readonly person: LinuxDoPerson | null; readonly callback: string } | null = null
  const codeFor = (person: LinuxDoPerson): string => {
    const code = randomBytes(8).toString('hex')
    byCode.set(code, person)
    return code
  }
  const { id, secret } = LINUX_DO_CLIENT
  const server = await startProviderServer({
    'GET /oauth2/authorize': ({ query }) => {
      const invalid = problemOf({ client_id: id, response_type: 'code' }, (name) => query.get(name))
      if (invalid !== null || visitor === null) return { refused: invalid ?? 'nobody is signed in' }
      const { person, callback } = visitor
      const denied = { error: 'access_denied', error_description: 'The person said no' }
      const back = new URLSearchParams({
        ...(person === null ? denied : { code: codeFor(person) }),
        state: query.get('state') ?? '',
      })
      return { redirect: `${callback}?${back.toString()}` }
    },
    'POST /oauth2/token': ({ headers, body }) => {
      const form = new URLSearchParams(body)
      const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
      const invalid =
        problemOf({ authorization: basic }, (name) => headers[name]) ??
        problemOf(
          {
            grant_type: 'authorization_code',
            redirect_uri: `${origin()}/api/oauth/linuxdo`,
          },
          (name) => form.get(name),
        )
      if (invalid !== null) return { refused: invalid }
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
    codeFor,
    visitedBy(person, callback) {
      visitor = { person, callback }
    },
  }
}
