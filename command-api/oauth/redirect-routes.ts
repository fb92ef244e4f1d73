import { createHash } from 'node:crypto'
import {
  type ApiReply,
  type ApiRequest,
  type ApiRoute,
  type CookieToSet,
  failure,
  route,
} from '../http-contract/api-route.ts'
import { z } from 'zod'
import { queryText } from '../http/query.ts'
import { EXAMPLE_SIGNED_IN, userAnswer } from '../users/user-answer.ts'
import { authorizeAddress, type BegunSignIn } from './authorize-address.ts'
import { type TakenAttempt, VISITOR_SECONDS, type Visitors } from '../identity/visitors.ts'
import { bind, type CallbackDeps, signInOrUp } from './callback.ts'
import { askGitHub, GITHUB } from './github.ts'
import { askLinuxDo, LINUX_DO } from './linux-do.ts'
import { askOidc, OIDC } from './oidc.ts'
import type { FindOidcProvider } from './oidc-provider.ts'
import { reasonOf } from './reason.ts'
import {
  type ProviderRequestDeps,
  noteRefusal,
  type SignUpProvider,
  type Vouching,
} from './provider.ts'

export interface RedirectRouteDeps extends CallbackDeps, ProviderRequestDeps {
  readonly visitors: Pick<Visitors, 'begin' | 'take'>
  readonly findOidcProvider: FindOidcProvider
}

/**
 * Providers that the browser is sent to and comes back from with a code. The state that it takes along is used once, and
 * only in the browser, and for the user, that it was made for.
 */
export const redirectRoutes = (deps: RedirectRouteDeps): readonly ApiRoute[] => [
  stateRoute(deps),
  callbackRoute(deps, {
    provider: GITHUB,
    path: '/api/oauth/github',
    ask: ({ query }) => askGitHub(deps, query.code),
  }),
  callbackRoute(deps, {
    provider: OIDC,
    path: '/api/oauth/oidc',
    hasNoInviter: true,
    ask: ({ query, origin }, { proof }) =>
      askOidc(deps, {
        code: query.code,
        proof,
        serverAddress: ownAddress(deps, origin),
      }),
  }),
  callbackRoute(deps, {
    provider: LINUX_DO,
    path: '/api/oauth/linuxdo',
    refusalProblem: ({ error, error_description }) =>
      error === '' ? null : (error_description || error).slice(0, REFUSAL_CHARACTERS_MAX),
    ask: ({ query, origin }) => askLinuxDo(deps, query.code, ownAddress(deps, origin)),
  }),
]

/**
 * Where the provider sent the browser back to. Until an administrator has set it, what the browser asks for will do: the
 * provider compares it with the addresses that are registered there, and only this browser is led by it.
 */
const ownAddress = ({ options }: RedirectRouteDeps, origin: string): string =>
  options.current().text('ServerAddress') || origin

/**
 * Most characters of a provider's words that are shown; they come through the browser, so from the author of its
 * address.
 */
const REFUSAL_CHARACTERS_MAX = 200

const stateRoute = (deps: RedirectRouteDeps): ApiRoute =>
  route({
    method: 'GET',
    path: '/api/oauth/state',
    access: 'visitor',
    isCritical: true,
    changesState: false,
    summary:
      'Begin a sign-in through a provider: the state to send along, of one use, and where to send the browser',
    query: z.object({
      aff: queryText().describe(
        'Affiliate code of the user who invited this one, kept for the sign-up; empty = nobody',
      ),
      provider: queryText().meta({
        description:
          'Provider to sign in by: authorize_url is answered where it is on, for oidc also nonce and code_challenge. Absent answers the state alone',
        enum: ['github', 'linuxdo', 'oidc'],
      }),
    }),
    answer: {
      data: z.string(),
      extra: {
        nonce: z.string().optional(),
        code_challenge: z.string().optional(),
        authorize_url: z.string().optional(),
      },
    },
    example: {
      query: { provider: 'oidc' },
      data: 'k3JbQ0vXz91a',
      extra: {
        nonce: 'lQFvMz0bV9Uq3wZ8nE5sR2yT6uI1oP4aS7dF0gH3jK4',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        authorize_url:
          'https://id.example.com/authorize?client_id=tollgate&response_type=code&state=k3JbQ0vXz91a',
      },
    },
    handle: async ({ query, caller, visitorToken, origin }) => {
      const { token, state, proof } = await deps.visitors.begin(visitorToken, {
        userId: caller?.userId ?? null,
        affCode: query.aff.slice(0, AFF_CHARACTERS_MAX),
        // A client that does not ask for proofs does not put them into the provider's address, and could not be asked
        // for them afterwards.
        isProving: query.provider === 'oidc',
      })
      const shown =
        proof === null
          ? null
          : { nonce: proof.nonce, codeChallenge: challengeOf(proof.codeVerifier) }
      const serverAddress = ownAddress(deps, origin)
      const address = await addressIfKnown(deps, query.provider, {
        state,
        proof: shown,
        serverAddress,
      })
      const extra = {
        ...(shown !== null && { nonce: shown.nonce, code_challenge: shown.codeChallenge }),
        ...(address !== null && { authorize_url: address }),
      }
      const hasExtra = shown !== null || address !== null
      return { data: state, visitor: cookieOf(token), ...(hasExtra && { extra }) }
    },
  })

/** Null, with a note for the operator, where an OpenID provider's discovery document cannot be read now. */
async function addressIfKnown(
  deps: RedirectRouteDeps,
  provider: string,
  begun: BegunSignIn,
): Promise<string | null> {
  try {
    return await authorizeAddress(deps, provider, begun)
  } catch (error) {
    noteRefusal(deps, OIDC, { status: 'refused', message: '', reason: reasonOf(error) })
    return null
  }
}

/** No affiliate code is longer; the row need not keep an invented one. */
const AFF_CHARACTERS_MAX = 32

/** RFC 7636, S256. */
const challengeOf = (codeVerifier: string): string =>
  createHash('sha256').update(codeVerifier).digest('base64url')

const cookieOf = (token: string): CookieToSet => ({ token, maxAgeSeconds: VISITOR_SECONDS })

const callbackQuery = z.object({
  code: queryText().describe('Authorization code of the provider'),
  state: queryText().describe('The state of GET /api/oauth/state that the sign-in began with'),
  error: queryText().describe(
    'Error that the provider sent instead of a code (RFC 6749); empty = none',
  ),
  error_description: queryText().describe('The provider’s words about the error; empty = none'),
})
type CallbackQuery = z.output<typeof callbackQuery>
type CallbackRequest = ApiRequest<unknown, CallbackQuery>

interface Callback {
  readonly provider: SignUpProvider
  readonly path: string
  /** No one invited the users who come this way, whatever the browser says. */
  readonly hasNoInviter?: boolean
  /** The reason that the provider gives for a missing code; null when there should be a code. */
  readonly refusalProblem?: (query: CallbackQuery) => string | null
  readonly ask: (request: CallbackRequest, attempt: TakenAttempt) => Promise<Vouching>
}

const callbackRoute = (deps: RedirectRouteDeps, callback: Callback): ApiRoute =>
  route({
    method: 'GET',
    path: callback.path,
    access: 'visitor',
    isCritical: true,
    // Signing in does not count; signing up and binding are refused where they begin.
    changesState: false,
    summary: `Sign in or up with a code of the provider (${callback.provider.namePrefix}), or bind it when signed in`,
    query: callbackQuery,
    answer: { data: userAnswer.optional() },
    failureStatuses: [401, 403],
    example: {
      query: { code: '0f1e2d3c4b5a69788796', state: 'k3JbQ0vXz91a' },
      data: EXAMPLE_SIGNED_IN,
    },
    handle: async (request) => {
      const refusal = callback.refusalProblem?.(request.query) ?? null
      if (refusal !== null) return failure(refusal)
      const attempt = await deps.visitors.take(request.visitorToken, request.query.state)
      // A sign-in that one user began must not bind the provider to another whom the browser has signed in since.
      if (attempt === null || attempt.userId !== (request.caller?.userId ?? null)) {
        return failure('state is empty or not same', 403)
      }
      const reply = await complete(deps, callback, request, attempt)
      return { ...reply, visitor: attempt.token === null ? null : cookieOf(attempt.token) }
    },
  })

async function complete(
  deps: RedirectRouteDeps,
  { provider, ask, hasNoInviter = false }: Callback,
  request: CallbackRequest,
  attempt: TakenAttempt,
): Promise<ApiReply> {
  if (!deps.options.current().flag(provider.option)) return failure(provider.offText)
  const vouching = await ask(request, attempt)
  if (vouching.status === 'refused') {
    noteRefusal(deps, provider, vouching)
    return failure(vouching.message)
  }
  const { profile } = vouching
  if (request.caller !== null) {
    return bind(deps, provider, profile, { userId: request.caller.userId, message: 'bind' })
  }
  return signInOrUp(
    deps,
    provider,
    { profile, affCode: hasNoInviter ? '' : attempt.affCode },
    request,
  )
}
