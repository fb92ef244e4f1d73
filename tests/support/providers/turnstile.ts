import { type ProviderServer, startProviderServer } from './provider-server.ts'

export const TURNSTILE_SECRET = 'turnstile-secret'

/** Cloudflare's siteverify: each token counts once. */
export interface TurnstileStandIn extends ProviderServer {
  readonly verifyUrl: string
  /** A human has solved the riddle and got this token. */
  solved(token: string): void
}

export async function startTurnstile(): Promise<TurnstileStandIn> {
  const tokens = new Set<string>()
  const server = await startProviderServer({
    'POST /siteverify': ({ body }) => {
      const form = new URLSearchParams(body)
      if (form.get('secret') !== TURNSTILE_SECRET) return { refused: 'wrong secret' }
      if (!form.get('remoteip')) return { refused: 'no remoteip' }
      const isRight = tokens.delete(form.get('response') ?? '')
      return {
        json: { success: isRight, ...(!isRight && { 'error-codes': ['timeout-or-duplicate'] }) },
      }
    },
  })
  return {
    ...server,
    verifyUrl: `${server.url}/siteverify`,
    solved: (token) => void tokens.add(token),
  }
}
