import * as client from 'openid-client'
import { compactVerify } from 'jose'
import { z } from 'zod'
import type { OutgoingFetch } from '../http/outgoing-fetch.ts'
import type { Proof } from '../identity/visitors.ts'
import { PROVIDER_TIMEOUT_MS } from './ask-provider.ts'
import { type FindOidcProvider, isPlainHttp, type OidcProvider } from './oidc-provider.ts'
import { reasonOf } from './reason.ts'
import { isUnreachable, orUnreachable } from './unreachable.ts'
import {
  type ProviderRequestDeps,
  refused,
  type SignUpProvider,
  type Vouching,
  vouched,
} from './provider.ts'

export const OIDC: SignUpProvider = {
  kind: 'oidcId',
  option: 'oidc.enabled',
  namePrefix: 'oidc',
  offText: '管理员未开启通过 OIDC 登录以及注册',
  takenText: '该 OIDC 账户已被绑定',
}

const TEXTS = {
  unreachable: '无法连接至 OIDC 服务器，请稍后重试！',
  token: 'OIDC 获取 Token 失败，请检查设置！',
  userInfo: 'OIDC 获取用户信息失败！请检查设置！',
  empty: 'OIDC 获取用户信息为空！请检查设置！',
} as const

const userInfo = z.object({
  sub: z.string().default(''),
  email: z.string().nullish(),
  email_verified: z.union([z.boolean(), z.string()]).optional(),
  name: z.string().nullish(),
  preferred_username: z.string().nullish(),
})

export interface OidcCallback {
  readonly code: string
  /** The proof that this sign-in was begun with; null when the client that began it takes no part in proofs. */
  readonly proof: Proof | null
  /** Without a trailing slash; the provider sent the browser to a page of it. */
  readonly serverAddress: string
}

/** Exchanges an OpenID provider's code for who it was given to; sub is their id (console-api 2.3, OpenID Connect Core 3.1). */
export async function askOidc(
  deps: ProviderRequestDeps & { readonly findOidcProvider: FindOidcProvider },
  callback: OidcCallback,
): Promise<Vouching> {
  if (callback.code === '') return refused('无效的参数')
  const options = deps.options.current()
  try {
    const provider = await deps.findOidcProvider(options)
    if (provider === null)
      return refused(TEXTS.token, 'no endpoints are set: fill in oidc.well_known')
    const clientId = options.text('oidc.client_id')
    const secret = deps.options.secret('oidc.client_secret')
    const configuration = configure(provider, deps.fetch, clientId, secret)
    return await exchange(configuration, provider, callback, secret)
  } catch (error) {
    return refused(isUnreachable(error) ? TEXTS.unreachable : TEXTS.token, reasonOf(error))
  }
}

async function exchange(
  configuration: client.Configuration,
  provider: OidcProvider,
  { code, proof, serverAddress }: OidcCallback,
  secret: string,
): Promise<Vouching> {
  const address = new URL(`${serverAddress}/oauth/oidc`)
  address.searchParams.set('code', code)
  const tokens = await client.authorizationCodeGrant(configuration, address, {
    ...(proof !== null && { pkceCodeVerifier: proof.codeVerifier }),
    ...(proof !== null && provider.isDiscovered && { expectedNonce: proof.nonce }),
  })
  if (isSignedWithSecret(provider) && tokens.id_token !== undefined) {
    await compactVerify(tokens.id_token, Buffer.from(secret))
  }
  const answer = await client.fetchProtectedResource(
    configuration,
    tokens.access_token,
    new URL(provider.userInfoEndpoint),
    'GET',
  )
  const parsed = userInfo.safeParse(await answer.json().catch(() => null))
  if (answer.status !== 200 || !parsed.success) {
    return refused(
      TEXTS.userInfo,
      `the user info endpoint answered ${answer.status} without user info`,
    )
  }
  const { sub, email, email_verified, name, preferred_username } = parsed.data
  if (sub === '' || !email) return refused(TEXTS.empty, 'the user info lacks sub or email')
  // The two speak of different people: an answer of another exchange was slipped in.
  const claims = tokens.claims()
  if (claims !== undefined && claims.sub !== sub) {
    return refused(TEXTS.userInfo, 'user info and id_token name different people')
  }
  const isUnverified = email_verified === false || email_verified === 'false'
  const profile = {
    id: sub,
    username: preferred_username?.trim() ?? '',
    displayName: name?.trim() || 'OIDC User',
    // An unverified e-mail may be another person's: their notices would go to it.
    email: isUnverified ? '' : email,
  }
  return vouched(profile, TEXTS.userInfo)
}

/** id, secret and code go into the form (console-api 2.3); signatures of id_tokens are checked where keys are known. */
function configure(
  provider: OidcProvider,
  fetch: OutgoingFetch,
  clientId: string,
  secret: string,
): client.Configuration {
  const { metadata, isDiscovered, tokenEndpoint } = provider
  const server = { ...metadata, token_endpoint: tokenEndpoint }
  // The console's callback page passes on code and state, not the issuer (RFC 9207); the state is bound to the browser.
  delete server.authorization_response_iss_parameter_supported
  const configuration = new client.Configuration(
    server,
    clientId,
    undefined,
    client.ClientSecretPost(secret),
  )
  configuration.timeout = PROVIDER_TIMEOUT_MS / 1000
  const asked = orUnreachable(fetch)
  configuration[client.customFetch] = isDiscovered ? asked : withoutIdToken(asked, tokenEndpoint)
  if (isDiscovered && !isSignedWithSecret(provider)) {
    client.enableNonRepudiationChecks(configuration)
  }
  const addresses = [tokenEndpoint, provider.userInfoEndpoint]
  if (addresses.some(isPlainHttp)) client.allowInsecureRequests(configuration)
  return configuration
}

/** Providers without a key pair sign with the client's own secret (OpenID Connect Core 10.1), and say so. */
function isSignedWithSecret({ metadata, isDiscovered }: OidcProvider): boolean {
  const algorithms = metadata.id_token_signing_alg_values_supported ?? []
  return isDiscovered && algorithms.length > 0 && algorithms.every((one) => one.startsWith('HS'))
}

/** The issuer and its signing keys are unknown: an id token that cannot be checked is not read. */
const withoutIdToken =
  (fetch: client.CustomFetch, tokenEndpoint: string): client.CustomFetch =>
  async (address, init) => {
    const answer = await fetch(address, init)
    if (address !== tokenEndpoint || !answer.ok) return answer
    const { id_token: _, ...rest } = (await answer.json()) as Record<string, unknown>
    return Response.json(rest)
  }
