import { type ApiRoute, route } from '@tollgate/command-api/http-contract/api-route.ts'
import type { RelayOperation } from '@tollgate/relay/reference.ts'
import { z } from 'zod'
import { openApiDocument } from './document.ts'

/** The document of all routes given and of the one that serves it; made when first asked for. */
export interface OpenApi {
  readonly route: ApiRoute
  readonly document: () => object
}

/** GET /api/openapi.json. */
export function openApi(
  routes: readonly ApiRoute[],
  relay: readonly RelayOperation[],
  version: string,
): OpenApi {
  let made: object | null = null
  let written: string | null = null
  const document = (): object => (made ??= openApiDocument([...routes, self], relay, version))
  const self: ApiRoute = route({
    method: 'GET',
    path: '/api/openapi.json',
    access: 'public',
    summary: 'This document',
    answer: { whole: z.looseObject({ openapi: z.string(), paths: z.looseObject({}) }) },
    example: { whole: { openapi: '3.1.0', paths: {} } },
    handle: () =>
      Promise.resolve({
        whole: (written ??= JSON.stringify(document())),
        headers: { 'content-type': 'application/json; charset=utf-8' },
      }),
  })
  return { route: self, document }
}
