import { Readable } from 'node:stream'
import {
  type ApiReply,
  type ApiRoute,
  route,
} from '@tollgate/command-api/http-contract/api-route.ts'
import type { TaskContents } from '@tollgate/command-api/http-contract/task-content.ts'
import type { CommonQueryMethods } from 'slonik'
import { z } from 'zod'
import { textInPath } from '../http/query.ts'
import { taskPage } from '../tasks/queries.ts'
import type { TaskRow } from '../tasks/task-rows.ts'

export interface DrawingImageDeps {
  readonly reads: CommonQueryMethods
  readonly taskContents: TaskContents
  /** Asks upstream for a picture; bounds size and time of the answer and refuses addresses inside the own network. */
  readonly fetchPicture: (address: string, accept: string) => Promise<Response>
  readonly log: { warn(details: object, message: string): void }
}

/** Types that a picture may have: none of them can hold a script, as SVG can. */
const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'] as const
/** Types that a store of files answers when it was given none; the content is a picture all the same. */
const UNTOLD_TYPES: ReadonlySet<string> = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
])
/** Assumed of a picture without a type (channels.md 3.1). */
const ASSUMED_TYPE = 'image/jpeg'

/** Pictures on their way through one process at once: each holds two connections and some hundred kilobytes. */
const AT_ONCE_MAX = 64
const BUSY_RETRY_SECONDS = '2'
/** A finished drawing stays as it is; only the one who saw it may keep it, as it can be forgotten here. */
const KEPT = 'private, max-age=86400'
const NOT_KEPT = 'no-store'

/** The address, on this server, of the picture of a drawing that upstream calls so. */
export const imagePath = (upstreamId: string): string =>
  `/mj/image/${encodeURIComponent(upstreamId)}`

/**
 * GET /mj/image/{id} (channels.md 3.1, console-api 2.11): the picture of a drawing from wherever upstream shows it, for
 * everybody who has its address. Also while MjForwardUrlEnabled is off: addresses that were given out stay good.
 */
export function drawingImageRoute(deps: DrawingImageDeps): ApiRoute {
  let underWay = 0
  return route({
    method: 'GET',
    path: '/mj/image/:id',
    access: 'public',
    isForAnySite: true,
    summary:
      'The picture of a drawing, by mj_id; 400 without one, upstream’s own status when it refuses, 500 when it cannot be had',
    params: textInPath('Upstream’s id of the drawing, mj_id'),
    answer: { file: PICTURE_TYPES, failure: FAILURE },
    example: { params: { id: '1712205491372224' } },
    async handle({ params }) {
      const found = await pictureOf(deps, params.id)
      if (found === null) return failed(400, 'midjourney_task_not_found', '图片不存在或尚未生成')
      if (underWay >= AT_ONCE_MAX) {
        return failed(503, 'too_many_images', '图片请求过多，请稍后再试', {
          'retry-after': BUSY_RETRY_SECONDS,
        })
      }
      underWay += 1
      let body: Readable | null = null
      try {
        const reply = await forwarded(deps, params.id, found)
        if (reply.whole instanceof Readable) body = reply.whole
        return reply
      } finally {
        if (body === null) underWay -= 1
        else body.once('close', () => (underWay -= 1))
      }
    },
  })
}

interface Picture {
  readonly address: string
  readonly isFinal: boolean
}

/** The newest of the drawings so called that has a picture: channels name theirs each for itself. */
async function pictureOf(
  { reads, taskContents }: DrawingImageDeps,
  upstreamId: string,
): Promise<Picture | null> {
  if (upstreamId === '') return null
  const rows = await taskPage(reads, 'drawings', { upstreamId }, 0)
  const contents = await taskContents(rows.map((row) => row.task_id))
  const addressOf = (row: TaskRow): string => contents.get(row.task_id)?.imageUrl ?? ''
  const row = rows.find((one) => addressOf(one) !== '')
  return row === undefined ? null : { address: addressOf(row), isFinal: row.status === 'succeeded' }
}

async function forwarded(
  { fetchPicture, log }: DrawingImageDeps,
  id: string,
  { address, isFinal }: Picture,
): Promise<ApiReply> {
  let answer: Response
  try {
    answer = await fetchPicture(address, PICTURE_TYPES.join(', '))
  } catch (err) {
    log.warn({ err, drawing: id }, 'the picture of a drawing could not be had')
    return imageProblem(err)
  }
  const { status, body, headers } = answer
  const type = pictureType(headers.get('content-type'))
  if (status === 200 && body !== null && type !== null) {
    return {
      whole: Readable.fromWeb(body),
      headers: { ...HARMLESS, 'content-type': type, 'cache-control': isFinal ? KEPT : NOT_KEPT },
    }
  }
  await body?.cancel()
  const details = { drawing: id, status, type: headers.get('content-type') }
  log.warn(details, 'upstream answered something else than the picture of a drawing')
  return status >= 400
    ? failed(status, 'http_get_image_failed', `上游图片服务器返回 ${status}`)
    : failed(500, 'http_get_image_failed', '上游返回的不是可显示的图片')
}

/** A type of the list as it is sent on; null for anything else. */
function pictureType(written: string | null): string | null {
  const named = (written ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (UNTOLD_TYPES.has(named)) return ASSUMED_TYPE
  return PICTURE_TYPES.find((type) => type === named) ?? null
}

/** Whatever the bytes are, no browser runs or frames them as a page of ours; pages of any site may show them. */
const HARMLESS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'content-disposition': 'inline',
} as const

function imageProblem(error: unknown): ApiReply {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return failed(500, 'http_get_image_failed', '上游图片服务器响应超时，请稍后重试')
  }
  if (error instanceof Error && 'code' in error && error.code === 'ANSWER_TOO_LARGE') {
    return failed(500, 'http_get_image_failed', '上游图片过大，无法显示')
  }
  return failed(500, 'http_get_image_failed', '无法从上游获取图片，请稍后重试')
}

/** Clients of old read `error`. */
const FAILURE = z.object({ error: z.string(), message: z.string() })

const failed = (
  status: number,
  error: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ApiReply => ({
  status,
  whole: { error, message },
  headers: { 'cache-control': NOT_KEPT, ...headers },
})
