import { callUpstream } from './call.ts'
import type { Dispatchers } from './dispatchers.ts'
import { headerText } from './header-text.ts'

/** The dependencies of fetching: connections that never lead into private networks, and deadlines. */
export interface FetchDeps {
  readonly publicDispatchers: Dispatchers
  readonly limits: { readonly idleMs: number }
}

/** As large as providers take pictures (spec/channels.md 0). */
const IMAGE_BYTES_MAX = 20 * 1024 * 1024
const PATIENCE_MS = 20_000
const IMAGE = /^image\/[\w.+-]{1,60}/

/**
 * A picture by its address, as a data URL; or why it could not be had, in words for the client. Redirects are not
 * followed: where they lead was not asked for.
 */
export async function fetchImage(
  url: string,
  { publicDispatchers, limits }: FetchDeps,
): Promise<{ readonly dataUrl: string } | { readonly problem: string }> {
  if (!URL.canParse(url)) return { problem: 'its address is none' }
  const { origin, pathname, search, host } = new URL(url)
  const call = callUpstream({
    dispatcher: publicDispatchers.through(''),
    address: { origin, path: pathname + search },
    method: 'GET',
    headers: { accept: 'image/*' },
    body: null,
    firstByteMs: PATIENCE_MS,
    idleMs: Math.min(limits.idleMs, PATIENCE_MS),
    wholeBytesMax: IMAGE_BYTES_MAX,
  })
  const answer = await call.answer
  if (answer.kind === 'unreachable') {
    const why = WHY[answer.reason]
    return { problem: `${host} ${why}` }
  }
  if (answer.kind === 'stream') {
    call.abort()
    return { problem: `${host} sent no picture` }
  }
  if (answer.status !== 200) return { problem: `${host} answered ${answer.status}` }
  const [mime] = IMAGE.exec(headerText(answer.headers, 'content-type').toLowerCase()) ?? []
  if (mime === undefined) return { problem: `${host} sent no picture` }
  return { dataUrl: `data:${mime};base64,${answer.body.toString('base64')}` }
}

const WHY = {
  connect: 'could not be reached',
  forbidden: 'is not on the public internet',
  timeout: 'did not answer in time',
  broken: 'sent no whole picture, or one over 20 MB',
  undecodable: 'sent no whole picture, or one over 20 MB',
  stale: 'could not be reached',
  aborted: 'was given up',
} as const
