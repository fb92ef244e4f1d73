import { externalIds, type ExternalIdKind } from '@tollgate/command-api/identity/external-ids.ts'
import { sessionRows } from '@tollgate/command-api/identity/sessions.ts'
import { usedSignatures } from '@tollgate/command-api/identity/used-signatures.ts'
import { userStore } from '@tollgate/command-api/identity/user-store.ts'
import type { User } from '@tollgate/command-api/identity/users.ts'
import { visitorRows } from '@tollgate/command-api/identity/visitors.ts'
import { oidcDiscovery } from '@tollgate/command-api/oauth/oidc-provider.ts'
import { oauthRoutes } from '@tollgate/command-api/oauth/routes.ts'
import { changeOption } from '@tollgate/command-api/options/change-option.ts'
import { followOptions } from '@tollgate/command-api/options/live-options.ts'
import { optionSecrets } from '@tollgate/command-api/secrets/option-secrets.ts'
import { signUp } from '@tollgate/command-api/users/sign-up.ts'
import type { ApiReply, ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import { callerWith, callRoute, openCommandApiFixture, type RouteCall } from './command-api.ts'

export const ORIGIN = 'http://localhost:3000'

const CAUSE = { actor: 'system', correlationId: 'test', causationId: null } as const

/** The routes of command-api/oauth on a database of their own, with providers that are stood in for. */
export async function openOAuthFixture() {
  const fixture = await openCommandApiFixture()
  const secrets = optionSecrets(fixture.db, fixture.vault)
  const users = userStore(fixture.db)
  const sessions = sessionRows(fixture)
  const options = await followOptions({ ...fixture, secrets })
  const warnings: unknown[] = []
  const deps: Parameters<typeof oauthRoutes>[0] = {
    ...fixture,
    users,
    externalIds: externalIds(fixture.db),
    sessions,
    visitors: visitorRows(fixture),
    usedSignatures: usedSignatures(fixture),
    options,
    fetch,
    findOidcProvider: oidcDiscovery(fetch, fixture.clock, {
      warn: (fields) => void warnings.push(fields),
    }),
    log: { warn: (fields) => void warnings.push(fields) },
  }
  const routes = oauthRoutes(deps)
  let made = 0
  const call = (name: `GET ${string}`, call: RouteCall) => callRoute(routes, name, call)

  return {
    ...fixture,
    deps,
    users,
    /** Warnings that operators were given. */
    warnings,
    call,
    /** Sets options and waits until they are in force. */
    async set(changes: Readonly<Record<string, string>>): Promise<void> {
      for (const [key, text] of Object.entries(changes)) {
        const changed = await changeOption({ ...fixture, secrets }, { key, text }, CAUSE)
        if (changed.status === 'rejected') throw new Error(changed.rejection.message)
        await options.waitFor(changed.position)
      }
    },
    /** A user with these external ids. */
    async user(known: Partial<Record<ExternalIdKind, string>> = {}): Promise<User> {
      const details = {
        username: `user${++made}`,
        displayName: '',
        passwordHash: null,
        externalIds: known,
      }
      return (await signUp(deps, details, CAUSE)).user
    },
    /** Begins a sign-in and comes back to a provider's callback with a code, all in one browser. */
    async comeBack(
      callback: `GET ${string}`,
      code: (begun: ApiReply) => string,
      as: {
        readonly caller?: User
        readonly aff?: string
        readonly isProving?: boolean
        /** In place of all of them, for the callback. */
        readonly routes?: readonly ApiRoute[]
      } = {},
    ): Promise<ApiReply> {
      const caller = as.caller === undefined ? null : callerWith(as.caller.id)
      const begun = await call('GET /api/oauth/state', {
        caller,
        query: {
          ...(as.aff !== undefined && { aff: as.aff }),
          ...(as.isProving === true && { provider: 'oidc' }),
        },
      })
      return callRoute(as.routes ?? routes, callback, {
        caller,
        query: { code: code(begun), state: String(begun.data) },
        visitorToken: begun.visitor?.token ?? null,
      })
    },
    /** The user whom a reply has signed in; null when it has not. */
    async signedIn(reply: ApiReply): Promise<User | null> {
      if (!reply.session) return null
      const found = await sessions.find(reply.session.token)
      return found === null ? null : users.byId(found.userId)
    },
  }
}

export type OAuthFixture = Awaited<ReturnType<typeof openOAuthFixture>>
