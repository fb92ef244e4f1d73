import { createHash, randomBytes } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import {
  type ProviderAnswer,
  type ProviderServer,
  startProviderServer,
  problemOf,
} from './provider-server.ts'

export const OIDC_CLIENT = {
  id: 'oidc-client',
  secret: 'oidc-secret-of-thirty-two-bytes-and-more',
} as const

export interface OidcPerson {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
  readonly preferred_username?: string
}

/** The values that the browser took along to the provider. */
export interface Authorization {
  readonly redirectUri: string
  readonly nonce?: string
  readonly codeChallenge?: string
}

/** How an id_token can be wrong. */
export type Forgery = 'key' | 'issuer' | 'audience' | 'nonce' | 'expired' | 'subject' | 'missing'

/** An OpenID provider with discovery, keys, and id_tokens that are really signed. */
export interface OidcStandIn extends ProviderServer {
  readonly wellKnown: string
  readonly tokenEndpoint: string
  readonly userInfoEndpoint: string
  /** Every code and token that it gave. */
  readonly secrets: string[]
  /** Somebody lets the client in: the code that the browser brings back. */
  authorize(person: OidcPerson, authorization: Authorization): string
  /** From now on this person is signed in there and lets the client in. */
  visitedBy(person: OidcPerson): void
  /** From now on id_tokens are forged in this way; null = none. */
  forge(forgery: Forgery | null): void
  /** Signs with the client's secret from now on, or with a key again, and says so in the discovery document. */
  signWithSecret(isSo: boolean): void
  /** Signs with another key from now on, and publishes it. */
  turnKey(): Promise<void>
}

export async function startOidc(): Promise<OidcStandIn> {
  const codes = new Map<string, { person: OidcPerson; authorization: Authorization }>()
  const byToken = new Map<string, OidcPerson>()
  const secrets: string[] = []
  let forgery: Forgery | null = null
  let isSecretUsed = false
  let visitor: OidcPerson | null = null
  const authorize = (person: OidcPerson, authorization: Authorization): string => {
    const code = randomBytes(8).toString('hex')
    codes.set(code, { person, authorization })
    secrets.push(code)
    return code
  }
  let signing = await newKey()
  const foreign = await newKey()

  const idTokenOf = async ({ sub }: OidcPerson, nonce: string | undefined): Promise<string> => {
    const key = forgery === 'key' ? foreign.privateKey : signing.privateKey
    const secret = forgery === 'key' ? 'somebody else’s secret, long enough' : OIDC_CLIENT.secret
    const claims = nonce === undefined ? {} : { nonce: forgery === 'nonce' ? 'another' : nonce }
    return new SignJWT(claims)
      .setProtectedHeader(isSecretUsed ? { alg: 'HS256' } : { alg: 'RS256', kid: signing.kid })
      .setIssuer(forgery === 'issuer' ? 'https://elsewhere.example' : server.url)
      .setAudience(forgery === 'audience' ? 'another-client' : OIDC_CLIENT.id)
      .setSubject(forgery === 'subject' ? 'somebody else' : sub)
      .setIssuedAt()
      .setExpirationTime(forgery === 'expired' ? '-10m' : '5m')
      .sign(isSecretUsed ? Buffer.from(secret) : key)
  }
  const exchange = async (body: string): Promise<ProviderAnswer> => {
    const form = new URLSearchParams(body)
    const { id, secret } = OIDC_CLIENT
    const granted = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    if (granted === undefined) return { refused: 'the code is unknown or was used' }
    const { person, authorization } = granted
    const { codeChallenge, redirectUri, nonce } = authorization
    const invalid = problemOf(
      {
        client_id: id,
        client_secret: secret,
        grant_type: 'authorization_code',
        redirect_uri: redirectUri,
      },
      (name) => form.get(name),
    )
    if (invalid !== null) return { refused: invalid }
    const verifier = form.get('code_verifier')
    const challenge =
      verifier === null ? undefined : createHash('sha256').update(verifier).digest('base64url')
    if (challenge !== codeChallenge) return { refused: 'code_verifier does not fit' }
    const token = randomBytes(8).toString('hex')
    byToken.set(token, person)
    secrets.push(token)
    return {
      json: {
        access_token: token,
        token_type: 'Bearer',
        expires_in: 60,
        ...(forgery !== 'missing' && { id_token: await idTokenOf(person, nonce) }),
      },
    }
  }
  const document = () => ({
    json: {
      issuer: server.url,
      authorization_endpoint: `${server.url}/authorize`,
      token_endpoint: `${server.url}/token`,
      userinfo_endpoint: `${server.url}/userinfo`,
      jwks_uri: `${server.url}/jwks`,
      id_token_signing_alg_values_supported: [isSecretUsed ? 'HS256' : 'RS256'],
      authorization_response_iss_parameter_supported: true,
    },
  })
  const server: ProviderServer = await startProviderServer({
    'GET /.well-known/openid-configuration': document,
    // The same where no standard has it.
    'GET /discovery/v2': document,
    'GET /authorize': ({ query }) => {
      const invalid = problemOf(
        {
          client_id: OIDC_CLIENT.id,
          response_type: 'code',
          scope: 'openid profile email',
          code_challenge_method: 'S256',
        },
        (name) => query.get(name),
      )
      if (invalid !== null || visitor === null) return { refused: invalid ?? 'nobody is signed in' }
      const back = new URL(query.get('redirect_uri') ?? '')
      const code = authorize(visitor, {
        redirectUri: back.href,
        nonce: query.get('nonce') ?? '',
        codeChallenge: query.get('code_challenge') ?? '',
      })
      back.search = new URLSearchParams({
        code,
        state: query.get('state') ?? '',
        iss: server.url,
      }).toString()
      return { redirect: back.href }
    },
    'GET /jwks': () => ({ json: { keys: [signing.publicJwk] } }),
    'POST /token': ({ body }) => exchange(body),
    'GET /userinfo': ({ headers }) => {
      const person = byToken.get((headers.authorization ?? '').replace(/^Bearer /, ''))
      return person === undefined ? { refused: 'no token of ours' } : { json: person }
    },
  })
  return {
    ...server,
    wellKnown: `${server.url}/.well-known/openid-configuration`,
    tokenEndpoint: `${server.url}/token`,
    userInfoEndpoint: `${server.url}/userinfo`,
    secrets,
    authorize,
    visitedBy(person) {
      visitor = person
    },
    forge(next) {
      forgery = next
    },
    signWithSecret(isSo) {
      isSecretUsed = isSo
    },
    async turnKey() {
      signing = await newKey()
    },
  }
}

async function newKey() {
  const kid = randomBytes(4).toString('hex')
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  return {
    kid,
    privateKey,
    publicJwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' },
  }
}
