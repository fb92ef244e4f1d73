import type { UrlRule } from '../channel-types.ts'

/** Where a request goes: undici's two halves of an address. */
export interface Address {
  readonly origin: string
  readonly path: string
}

/** The parts that an address is made of. */
export interface AddressParts {
  readonly rule: UrlRule
  /** The channel's base URL, or its type's. */
  readonly baseUrl: string
  /** The channel's type-specific field: API version, account id. */
  readonly other: string
  /** The relay's own path, such as `/v1/chat/completions`. */
  readonly path: string
  readonly upstreamModel: string
  /** Azure's API version as the client's query names it; '' = it names none. */
  readonly apiVersion?: string
}

/** Azure's API version where neither client nor channel names one (channels.md 1.2). */
const AZURE_API_VERSION = '2024-12-01-preview'
/** Behind Cloudflare's AI gateway OpenAI's paths stand without `/v1`. */
const CLOUDFLARE_GATEWAY = 'https://gateway.ai.cloudflare.com'

/** The upstream's address for a request; throws a TypeError when the base URL is none. Source: channels.md 1.2. */
export function addressOf(parts: AddressParts): Address {
  const written = fullAddress(parts)
  const known = PARSED.get(written)
  if (known !== undefined) return known
  const url = new URL(written)
  const address = { origin: url.origin, path: url.pathname + url.search }
  if (PARSED.size >= PARSED_MAX) PARSED.clear()
  PARSED.set(written, address)
  return address
}

/** A channel's requests go to a few addresses, over and over. */
const PARSED = new Map<string, Address>()
/** More than channels have addresses; some have the model's name in them, which clients choose. */
const PARSED_MAX = 1_000

function fullAddress(parts: AddressParts): string {
  const { baseUrl, path, upstreamModel: model } = parts
  switch (parts.rule) {
    case 'path':
      return baseUrl + (baseUrl.startsWith(CLOUDFLARE_GATEWAY) ? withoutVersion(path) : path)
    case 'azure':
      return azureAddress(parts)
    case 'whole-address':
      return baseUrl.replaceAll('{model}', encodeURIComponent(model))
    case 'minimax':
      return isOfResponses(path) ? baseUrl + path : `${baseUrl}/v1/text/chatcompletion_v2`
    case 'baidu-v2':
      return `${baseUrl}/v2/chat/completions`
    case 'zhipu-v4':
      return `${baseUrl}/api/paas/v4${withoutVersion(path)}`
    case 'dashscope':
      return `${baseUrl}/compatible-mode${path}`
    case 'perplexity':
      return `${baseUrl}/chat/completions`
    case 'cloudflare':
      return `${baseUrl}/client/v4/accounts/${encodeURIComponent(parts.other)}/ai${path}`
    case 'deepseek':
      return path === '/v1/completions' ? `${baseUrl}/beta/completions` : baseUrl + path
    case 'moka':
      return `${baseUrl}/embeddings`
    case 'volcengine':
      return volcengineAddress(baseUrl, path, model)
    case 'other-protocol':
      throw new TypeError('this channel type has no OpenAI address')
    default:
      return parts.rule satisfies never
  }
}

const isOfResponses = (path: string): boolean => path.startsWith('/v1/responses')

/** Deployments stand in the path, but for responses, whose body names them (learn.microsoft.com, Azure OpenAI v1). */
function azureAddress(parts: AddressParts): string {
  const { baseUrl, other, path, upstreamModel, apiVersion = '' } = parts
  if (isOfResponses(path)) return `${baseUrl}/openai${path}`
  const deployment = encodeURIComponent(upstreamModel)
  const folder = baseUrl.startsWith(CLOUDFLARE_GATEWAY) ? '' : '/openai/deployments'
  const version = encodeURIComponent(apiVersion || other || AZURE_API_VERSION)
  return `${baseUrl}${folder}/${deployment}${withoutVersion(path)}?api-version=${version}`
}

function volcengineAddress(baseUrl: string, path: string, model: string): string {
  const isBot = model.startsWith('bot') && path === '/v1/chat/completions'
  return `${baseUrl}/api/v3${isBot ? '/bots' : ''}${withoutVersion(path)}`
}

const withoutVersion = (path: string): string =>
  path.startsWith('/v1/') ? path.slice('/v1'.length) : path
