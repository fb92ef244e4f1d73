import type { IncomingHttpHeaders } from 'node:http'
import type { JsonObject } from '../../json.ts'
import { headerText } from '../../upstream/header-text.ts'
import type { ChatRequest } from '../chat/chat-request.ts'

/** The versions of Anthropic's API (platform.claude.com/docs/en/api/versioning). */
const NEWER = '2026-10-21'
const OLDER = '2023-06-01'
/** Members that the newer version refuses, even with their usual values. */
const SAMPLING = ['temperature', 'top_p', 'top_k'] as const

/** The version that a client names; '' = none that is one. */
export function namedVersion(headers: IncomingHttpHeaders): string {
  const named = headerText(headers, 'anthropic-version')
  return /^\d{4}-\d{2}-\d{2}$/.test(named) ? named : ''
}

/** The version header of a body: the older version where the newer one refuses some of it. */
export const versionHeader = (wantsOlder: boolean): Readonly<Record<string, string>> => ({
  'anthropic-version': wantsOlder ? OLDER : NEWER,
})

/** Whether members of a body are refused by the newer version. */
export const namesSampling = (names: Iterable<string>): boolean => {
  const named = new Set(names)
  return SAMPLING.some((name) => named.has(name))
}

/**
 * Whether the messages of a body may have contents that the newer version refuses: documents of assistants, cited user
 * text.
 */
export const mayWantOlder = (raw: Buffer): boolean => OF_OLDER.some((part) => raw.includes(part))
const OF_OLDER = ['"document"', '"citations"'] as const

/** Whether a chat as it is written is refused by the newer version. */
export const wantsOlderVersion = ({ turns }: ChatRequest, written: JsonObject): boolean =>
  namesSampling(Object.keys(written)) ||
  turns.some(
    ({ role, blocks }) =>
      role === 'assistant' &&
      blocks.some((block) => block.type === 'media' && block.kind === 'document'),
  )
