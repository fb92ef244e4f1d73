import { type ApiRoute, failure, route } from '../http-contract/api-route.ts'
import { ruleOf } from '@tollgate/domain/settings/catalogue.ts'
import { z } from 'zod'
import { lenientBody, text } from '../http/body.ts'
import { type OutgoingFetch, OutgoingRefused } from '../http/outgoing-fetch.ts'
import type { LiveOptions } from '../options/live-options.ts'
import { discover } from './oidc-provider.ts'
import { reasonOf } from './reason.ts'
import { isUnreachable } from './unreachable.ts'

export interface DiscoveryDeps {
  readonly fetch: OutgoingFetch
  readonly options: Pick<LiveOptions, 'current'>
  readonly log: { warn(facts: object, message: string): void }
}

const TEXTS = {
  missing: '请填写 OIDC 的 Well-Known URL',
  forbidden: '该地址位于内网，请更换地址，或开启 fetch_setting.allow_private_addresses',
  unreachable: '无法连接至 OIDC 服务器，请稍后重试！',
  notDocument: '该地址返回的不是 OIDC 发现文档，请检查 Well-Known URL',
} as const

const WELL_KNOWN = 'oidc.well_known'

/**
 * Reads a provider's discovery document for the form of settings, as signing in does: both find the same. Pages of the
 * console may ask no other site. Nothing is stored.
 */
export const discoveryRoute = (deps: DiscoveryDeps): ApiRoute =>
  route({
    method: 'POST',
    path: '/api/option/oidc_discovery',
    access: 'root',
    summary: 'Endpoints of an OpenID provider by its discovery document; nothing is stored',
    body: lenientBody({
      well_known: text().describe(
        'Address of the discovery document; empty = that of the option oidc.well_known',
      ),
    }),
    answer: { data: ENDPOINTS },
    example: {
      body: { well_known: 'https://idp.example.com/.well-known/openid-configuration' },
      data: {
        issuer: 'https://idp.example.com',
        authorization_endpoint: 'https://idp.example.com/authorize',
        token_endpoint: 'https://idp.example.com/token',
        user_info_endpoint: 'https://idp.example.com/userinfo',
      },
    },
    handle: async ({ body }) => {
      const address = body.well_known.trim() || deps.options.current().text(WELL_KNOWN)
      if (address === '') return failure(TEXTS.missing)
      const problem = ruleOf(WELL_KNOWN).check(address, WELL_KNOWN)
      if (problem !== null) return failure(problem)
      try {
        const found = await discover(deps.fetch, address)
        return {
          data: {
            issuer: found.issuer,
            authorization_endpoint: found.authorization_endpoint ?? '',
            token_endpoint: found.token_endpoint ?? '',
            user_info_endpoint: found.userinfo_endpoint ?? '',
          },
        }
      } catch (error) {
        deps.log.warn(
          { provider: 'oidc', reason: reasonOf(error) },
          'oidc: the discovery document could not be read; the form keeps its endpoints',
        )
        return failure(discoveryProblem(error))
      }
    },
  })

const ENDPOINTS = z.strictObject({
  issuer: z.string(),
  /** '' where the document names none, as for those below. */
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  user_info_endpoint: z.string(),
})

function discoveryProblem(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof OutgoingRefused && at.code === 'ADDRESS_PRIVATE') return TEXTS.forbidden
  }
  return isUnreachable(error) ? TEXTS.unreachable : TEXTS.notDocument
}
