import type { ChannelFacts } from '../directory/facts.ts'
import { type Address, addressOf } from '../upstream/address.ts'

/** Rules whose list of models stands beside their other paths. */
const RULES_WITH_LIST = new Set([
  'path',
  'dashscope',
  'zhipu-v4',
  'cloudflare',
  'deepseek',
  'volcengine',
])
const GEMINI = 24

/** Where a channel lists its models: its own place where it has one, else `/v1/models` (channels.md 4). */
export function modelsAddress(channel: ChannelFacts): Address {
  const { type, terms, baseUrl } = channel
  if (type.id === GEMINI) return parse(`${baseUrl}/v1beta/openai/models`)
  if (RULES_WITH_LIST.has(type.url)) {
    const { other } = terms
    // Anthropic lists twenty unless it is asked for more.
    const path = type.auth === 'x-api-key' ? '/v1/models?limit=1000' : '/v1/models'
    return addressOf({ rule: type.url, baseUrl, other, path, upstreamModel: '' })
  }
  // A custom channel names one whole address; its list stands beside it.
  const base = type.url === 'whole-address' ? baseUrl.split('/v1/', 1)[0] : baseUrl
  return parse(`${base}/v1/models`)
}

function parse(address: string): Address {
  const url = new URL(address)
  return { origin: url.origin, path: url.pathname + url.search }
}
