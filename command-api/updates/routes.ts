import { type ApiReply, type ApiRoute, failure, route } from '../http-contract/api-route.ts'
import { storableText } from '@tollgate/domain/text.ts'
import { z } from 'zod'
import { type OutgoingFetch, OutgoingRefused } from '../http/outgoing-fetch.ts'

export interface UpdateDeps {
  readonly version: string
  /** Address of the newest release, JSON with tag_name and body; null = not configured. */
  readonly releasesUrl: string | null
  readonly fetch: OutgoingFetch
  readonly log: { warn(facts: object, message: string): void }
}

const TEXTS = {
  noAddress: '未配置更新检查地址，请设置环境变量 RELEASES_URL',
  forbidden: '该地址位于内网，请更换地址，或开启 fetch_setting.allow_private_addresses',
  unreachable: '无法获取最新版本信息，请检查网络和更新检查地址，稍后重试',
  notRelease: '更新检查地址返回的不是版本信息，应为含有 tag_name 和 body 的 JSON',
} as const

/** An administrator waits for the answer at a button. */
const ANSWER_TIMEOUT_MS = 5_000
/** Release notes are some kilobytes; longer ones are cut. */
const NOTES_CHARACTERS_MAX = 100_000

/** Whether there is a newer release (decision 28). The server asks: pages of the console may ask no other site. */
export const updateRoute = (deps: UpdateDeps): ApiRoute =>
  route({
    method: 'GET',
    path: '/api/update',
    access: 'root',
    summary: 'The newest release by RELEASES_URL, and whether it is newer than this',
    answer: {
      data: z.strictObject({
        current_version: z.string(),
        tag_name: z.string(),
        body: z.string(),
        is_newer: z.boolean(),
      }),
    },
    example: {
      data: {
        current_version: '0.1.0',
        tag_name: 'v0.2.0',
        body: '- Refunds in the journal',
        is_newer: true,
      },
    },
    handle: async () => {
      const { releasesUrl, version } = deps
      if (releasesUrl === null) return failure(TEXTS.noAddress)
      const asked = await newestAt(deps, releasesUrl)
      if ('refusal' in asked) return asked.refusal
      const { tag_name, body } = asked.release
      return {
        data: {
          current_version: version,
          tag_name,
          body: body.slice(0, NOTES_CHARACTERS_MAX),
          is_newer: isNewer(tag_name, version),
        },
      }
    },
  })

const releaseAnswer = z.object({
  tag_name: z.string().min(1).max(100).overwrite(storableText),
  body: z
    .string()
    .nullish()
    .transform((notes) => storableText(notes ?? '')),
})

async function newestAt(
  { fetch, log }: UpdateDeps,
  url: string,
): Promise<{ readonly release: z.infer<typeof releaseAnswer> } | { readonly refusal: ApiReply }> {
  try {
    const answer = await fetch(url, {
      headers: { accept: 'application/json', 'user-agent': 'Tollgate' },
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    const written: unknown = await answer.json().catch(() => null)
    const read = releaseAnswer.safeParse(written)
    return read.success ? { release: read.data } : { refusal: failure(TEXTS.notRelease) }
  } catch (err) {
    log.warn({ err }, 'updates: the newest release could not be read; ask again later')
    const isForbidden = err instanceof OutgoingRefused && err.code === 'ADDRESS_PRIVATE'
    return { refusal: failure(isForbidden ? TEXTS.forbidden : TEXTS.unreachable) }
  }
}

/** Compares numbers, so that 0.10.0 is newer than 0.9.0. A text that is no version counts as newer when it differs. */
export function isNewer(tag: string, version: string): boolean {
  const [theirs, ours] = [numbersOf(tag), numbersOf(version)]
  if (theirs === null || ours === null) return tag !== version
  const at = theirs.findIndex((number, index) => number !== ours[index])
  return at !== -1 && (theirs[at] ?? 0) > (ours[at] ?? 0)
}

function numbersOf(version: string): readonly number[] | null {
  const found = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version.trim())
  return found === null ? null : found.slice(1).map(Number)
}
