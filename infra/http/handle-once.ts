import type { PostedRequests } from '@tollgate/command-api/idempotency/posted-requests.ts'
import {
  type ApiReply,
  type ApiRequest,
  type ApiRoute,
  failure,
} from '@tollgate/command-api/http-contract/api-route.ts'

const USED_OTHERWISE = '该 Idempotency-Key 已用于内容不同的请求，请更换后重试'
const IN_USE = '带有该 Idempotency-Key 的请求仍在处理中，请稍后用同一个 Key 重试'
const ASK_AGAIN_SECONDS = '1'

/**
 * Handles a request with an Idempotency-Key: again with the same contents it gets the first answer, with
 * `Idempotency-Replayed: true`; with others 422; while the first is still running 409. A request that failed is carried
 * out again, as the same command.
 */
export async function handleOnce(
  route: ApiRoute,
  asked: ApiRequest,
  { key, contents }: { readonly key: string; readonly contents: string },
  requests: Pick<PostedRequests, 'begin'>,
): Promise<ApiReply> {
  const begun = await requests.begin({
    user: asked.caller?.userId ?? 0,
    operation: `${route.method} ${route.path}`,
    key,
    contents,
  })
  switch (begun.status) {
    case 'otherwise':
      return failure(USED_OTHERWISE, 422)
    case 'running':
      return { ...failure(IN_USE, 409), headers: { 'Retry-After': ASK_AGAIN_SECONDS } }
    case 'answered': {
      const { reply } = begun
      return { ...reply, headers: { ...reply.headers, 'Idempotency-Replayed': 'true' } }
    }
    case 'begun':
      try {
        const reply = await route.handle({ ...asked, command: begun.command })
        await begun.end(isFinal(reply) ? reply : null)
        return reply
      } catch (error) {
        await begun.end(null)
        throw error
      }
    default:
      return begun satisfies never
  }
}

/** Whether the answer is the same for ever: it opens nothing, and does not ask to come again. */
const isFinal = ({ status = 200, session, visitor, knownBrowser }: ApiReply): boolean =>
  status < 500 &&
  status !== 409 &&
  status !== 429 &&
  session === undefined &&
  visitor === undefined &&
  knownBrowser === undefined
