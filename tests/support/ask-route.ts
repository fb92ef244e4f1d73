import {
  type ApiReply,
  type ApiRequest,
  type ApiRoute,
  type Caller,
  UNNAMED_COMMAND,
} from '@tollgate/command-api/http-contract/api-route.ts'

/** Asks one of these routes by its address, without HTTP; what its schemas refuse fails with their message. */
export async function askRoute(
  routes: readonly ApiRoute[],
  url: string,
  caller: Caller | null,
): Promise<ApiReply> {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  for (const route of routes) {
    const pattern = new RegExp(
      `^${route.path.replace(/\/$/, '').replace(/:(\w+)/g, '(?<$1>[^/]+)')}/?$`,
    )
    const match = pattern.exec(pathname)
    if (match === null) continue
    const parsed = async (schema: typeof route.query, value: unknown): Promise<unknown> => {
      const result = await schema?.['~standard'].validate(value)
      if (result?.issues !== undefined) throw new Error(result.issues[0]?.message)
      return result?.value
    }
    const request: ApiRequest = {
      params: await parsed(route.params, match.groups ?? {}),
      query: await parsed(route.query, Object.fromEntries(searchParams)),
      body: undefined,
      caller,
      ip: '127.0.0.1',
      userAgent: '',
      requestId: 'r',
      sessionToken: null,
      visitorToken: null,
      knownBrowserToken: null,
      sentFrom: 'own-page',
      newApiUser: null,
      isNavigation: false,
      command: UNNAMED_COMMAND,
      origin: 'http://localhost',
      language: 'zh',
    }
    return route.handle(request)
  }
  throw new Error(`no route for ${url}`)
}
