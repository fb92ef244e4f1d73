import { isObject } from '../../json.ts'
import type { Endpoint } from '../model-request.ts'

/** Versions of the API whose addresses are served, all alike. */
export const VERSIONS = ['v1', 'v1beta', 'v1alpha'] as const

const GENERATE = { mode: 'generate-content', required: 'contents' } as const
const METHODS = {
  generateContent: GENERATE,
  streamGenerateContent: GENERATE,
  countTokens: { ...GENERATE, countsOnly: true },
  embedContent: { mode: 'embed-content', required: 'content' },
  batchEmbedContents: { mode: 'embed-content', required: 'requests' },
} as const
export type Method = keyof typeof METHODS

const isMethod = (name: string): name is Method => Object.hasOwn(METHODS, name)

/** Further methods of Google's, which are not served here. */
const UNSERVED =
  'predict|predictLongRunning|batchGenerateContent|asyncBatchEmbedContent|generateAnswer|generateMessage|generateText'
const ADDRESS = new RegExp(
  `^/v1/models/[^?]*(?::|%3a)(?:${Object.keys(METHODS).join('|')}|${UNSERVED})(?:\\?|$)`,
  'i',
)
const IN_QUERY = /[?&]key=/

/** Whether an address is Google's: by its version, or by a method behind its model, which no other protocol has. */
export const isGeminiAddress = (url: string): boolean =>
  /^\/v1(?:beta|alpha)(?:[/?]|$)/.test(url) || ADDRESS.test(url)

/** Whether a request shows its key as Google's clients do. */
export const hasGeminiKey = (url: string, header: string): boolean =>
  header !== '' || IN_QUERY.test(url)

/**
 * The endpoint at `{version}/models/{named}`, where `named` is `{model}:{method}` as decoded; null = no method that is
 * served. Streams are events with `alt=sse`, else a JSON list.
 */
export function endpointAt(version: string, named: string, query: unknown): Endpoint | null {
  const colon = named.lastIndexOf(':')
  const method = named.slice(colon + 1)
  if (colon < 1 || !isMethod(method)) return null
  const pathModel = named.slice(0, colon)
  const streams = isObject(query) && query['alt'] === 'sse' ? 'events' : 'list'
  return {
    protocol: 'gemini',
    path: `/${version}/models/${pathModel}:${method}`,
    isPlayground: false,
    pathModel,
    version,
    ...(method === 'streamGenerateContent' && { streams }),
    ...METHODS[method],
  }
}
