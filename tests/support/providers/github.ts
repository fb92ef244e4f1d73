import { randomBytes } from 'node:crypto'
import { type ProviderServer, startProviderServer, problemOf } from './provider-server.ts'

export const GITHUB_CLIENT = { id: 'github-client', secret: 'github-secret' } as const

export interface GitHubPerson {
  readonly login: string
  /** The account's number, which stays when its login is given up; 1 when missing, null = GitHub does not say. */
  readonly id?: number | null
  readonly name?: string | null
  readonly email?: string | null
}

/** A GitHub Enterprise Server: its page of signing in and its two calls; it gives codes of one use for persons. */
export interface GitHubStandIn extends ProviderServer {
  /** From now on this person is signed in there and lets the client in, whose callback page is this one. */
  visitedBy(person: GitHubPerson, callback: string): void
  codeFor(person: GitHubPerson): string
}

export async function startGitHub(): Promise<GitHubStandIn> {
  const byCode = new Map<string, GitHubPerson>()
  const byToken = new Map<string, GitHubPerson>()
  let visitor: { readonly person: GitHubPerson; readonly callback: string } | null = null
  const codeFor = (person: GitHubPerson): string => {
    const code = randomBytes(8).toString('hex')
    byCode.set(code, person)
    return code
  }
  const server = await startProviderServer({
    'GET /login/oauth/authorize': ({ query }) => {
      const invalid = problemOf({ client_id: GITHUB_CLIENT.id, scope: 'user:email' }, (name) =>
        query.get(name),
      )
      if (invalid !== null || visitor === null) return { refused: invalid ?? 'nobody is signed in' }
      const code = codeFor(visitor.person)
      return { redirect: `${visitor.callback}?code=${code}&state=${query.get('state')}` }
    },
    'POST /login/oauth/access_token': ({ headers, body }) => {
      const form = JSON.parse(body) as Record<string, unknown>
      const invalid =
        problemOf({ accept: 'application/json' }, (name) => headers[name]) ??
        problemOf(
          { client_id: GITHUB_CLIENT.id, client_secret: GITHUB_CLIENT.secret },
          (name) => form[name],
        )
      if (invalid !== null) return { refused: invalid }
      const person = byCode.get(String(form['code']))
      // As GitHub says it, with status 200.
      if (person === undefined) return { json: { error: 'bad_verification_code' } }
      byCode.delete(String(form['code']))
      const token = randomBytes(8).toString('hex')
      byToken.set(token, person)
      return { json: { access_token: token, token_type: 'bearer', scope: 'user:email' } }
    },
    'GET /api/v3/user': ({ headers }) => {
      const person = byToken.get((headers.authorization ?? '').replace(/^Bearer /, ''))
      if (person === undefined) return { refused: 'no token of ours' }
      if (!headers['user-agent']) return { refused: 'no user agent' }
      const { id = 1, ...rest } = person
      return { json: { ...(id !== null && { id }), name: null, email: null, ...rest } }
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
