import type { Operation } from '@tollgate/domain/routing/operation.ts'
import modelLists from './data/channel-models.json' with { type: 'json' }

/**
 * The facts about every channel type 1-49: a row of data each, so that a new OpenAI-speaking provider is a row and not
 * a module. Source: seeds (ids 1-49), spec/channels.md 1.1 to 1.3.
 */
export interface ChannelType {
  readonly id: number
  readonly name: string
  /** As the console shows it; '' = it has no name there. */
  readonly label: string
  /** Colour of the console's tag. */
  readonly colour: string
  readonly protocol: Protocol
  /** Without a trailing slash; '' = the channel must name one. */
  readonly baseUrl: string
  readonly url: UrlRule
  readonly auth: AuthScheme
  readonly quirks: readonly Quirk[]
  /** False when a stream cannot be asked to end with its usage (`stream_options.include_usage`). */
  readonly canStreamUsage: boolean
  readonly modes: readonly Mode[]
  /** Modes that it serves in another protocol than `protocol`: in that of their clients. */
  readonly native: Readonly<Partial<Record<Mode, UpstreamProtocolName>>>
  readonly balance: BalanceSource | null
  /** The models that the console pre-fills. */
  readonly defaultModels: readonly string[]
}

/** Wire protocols that are built. */
export type UpstreamProtocolName =
  | 'openai'
  | 'claude'
  | 'bedrock'
  | 'gemini'
  | 'responses'
  | 'vertex-claude'
  | 'vertex-gemini'
  | 'vertex-predict'
  | 'vertex-openai'

/** Wire protocols; those that are not built are refused with a clear error until they are. */
export type Protocol =
  | UpstreamProtocolName
  /** One of its three, by the model. */
  | 'vertex'
  | 'palm'
  | 'baidu'
  | 'zhipu-v3'
  | 'xunfei'
  | 'tencent'
  | 'cohere'
  | 'dify'
  | 'coze'
  | 'midjourney'
  | 'suno'
  | 'none'

/** How the request's path becomes the upstream's, see upstream/address.ts. */
export type UrlRule =
  | 'path'
  | 'azure'
  | 'whole-address'
  | 'minimax'
  | 'baidu-v2'
  | 'zhipu-v4'
  | 'dashscope'
  | 'perplexity'
  | 'cloudflare'
  | 'deepseek'
  | 'moka'
  | 'volcengine'
  | 'other-protocol'

/** How the key is shown to upstream, see upstream/credentials.ts. */
export type AuthScheme =
  | 'bearer'
  | 'api-key'
  | 'x-api-key'
  | 'x-goog-api-key'
  | 'zhipu-jwt'
  | 'sigv4'
  | 'google'
  | 'other-protocol'

/** Small differences of OpenAI-speaking providers, see protocols/openai/request-edits.ts and metering/openai-usage.ts. */
export type Quirk =
  | 'organization-header'
  | 'openrouter-headers'
  | 'dashscope-headers'
  | 'top-p-inside-zero-one'
  | 'top-p-below-one'
  | 'output-is-total-minus-input'
  /** The role `developer` is unknown: `system` is sent. */
  | 'no-developer-role'
  /** Pictures by address are not fetched: they are sent as data. */
  | 'images-as-data'
  /** Its models want their thoughts back with the calls of tools that followed them (`reasoning_content`). */
  | 'thoughts-with-calls'
  | 'mistral-schema'

/** The kind of a request, as routing goes by it. */
export type Mode = Operation

export type BalanceSource =
  | 'openai-billing'
  | 'aiproxy'
  | 'api2gpt'
  | 'aigc2d'
  | 'siliconflow'
  | 'deepseek'

interface Row {
  readonly label?: string
  readonly colour?: string
  readonly protocol?: Protocol
  readonly baseUrl?: string
  readonly url?: UrlRule
  readonly auth?: AuthScheme
  readonly quirks?: readonly Quirk[]
  readonly canStreamUsage?: boolean
  readonly modes?: readonly Mode[]
  readonly native?: ChannelType['native']
  readonly balance?: BalanceSource
}

const EVERY_MODE: readonly Mode[] = [
  'chat',
  'completions',
  'embeddings',
  'images',
  'audio',
  'rerank',
  'realtime',
  'moderations',
]

const CHAT: readonly Mode[] = ['chat']

/** A provider that speaks OpenAI's protocol at `baseUrl` + path with a bearer key, unless the row says otherwise. */
function openai(id: number, name: string, row: Row): ChannelType {
  return {
    id,
    name,
    label: row.label ?? '',
    colour: row.colour ?? 'grey',
    protocol: row.protocol ?? 'openai',
    baseUrl: row.baseUrl ?? '',
    url: row.url ?? 'path',
    auth: row.auth ?? 'bearer',
    quirks: row.quirks ?? [],
    canStreamUsage: row.canStreamUsage ?? true,
    modes: withMessages(row.modes ?? EVERY_MODE),
    native: row.native ?? {},
    balance: row.balance ?? null,
    defaultModels: defaultModelsOf(id),
  }
}

/** Chat is served to Anthropic's, Google's and responses' clients as to OpenAI's others, natively or translated. */
const withMessages = (modes: readonly Mode[]): readonly Mode[] =>
  modes.includes('chat') ? [...modes, 'messages', 'responses', 'generate-content'] : modes

/** Providers that have an address for responses themselves. */
const RESPONSES: ChannelType['native'] = { responses: 'responses' }

/** A provider of another protocol: known to the console, refused by the relay until that protocol is built. */
function other(id: number, name: string, protocol: Protocol, row: Row = {}): ChannelType {
  return openai(id, name, { url: 'other-protocol', auth: 'other-protocol', ...row, protocol })
}

function defaultModelsOf(id: number): readonly string[] {
  const lists: Readonly<Record<string, readonly string[]>> = modelLists
  return lists[String(id)] ?? []
}

const TYPES: readonly ChannelType[] = [
  openai(1, 'OpenAI', {
    label: 'OpenAI',
    colour: 'green',
    baseUrl: 'https://api.openai.com',
    quirks: ['organization-header'],
    native: RESPONSES,
    balance: 'openai-billing',
  }),
  other(2, 'Midjourney', 'midjourney', {
    label: 'Midjourney Proxy',
    colour: 'light-blue',
    baseUrl: 'https://oa.api2d.net',
    modes: [],
  }),
  openai(3, 'Azure', {
    label: 'Azure OpenAI',
    colour: 'teal',
    url: 'azure',
    auth: 'api-key',
    native: RESPONSES,
  }),
  openai(4, 'Ollama', {
    label: 'Ollama',
    colour: 'grey',
    baseUrl: 'http://localhost:11434',
    modes: ['chat', 'completions', 'embeddings'],
    quirks: ['no-developer-role', 'images-as-data'],
  }),
  other(5, 'MidjourneyPlus', 'midjourney', {
    label: 'Midjourney Proxy Plus',
    colour: 'blue',
    baseUrl: 'https://api.openai-sb.com',
    modes: [],
  }),
  openai(6, 'OpenAIMax', { baseUrl: 'https://api.openaimax.com' }),
  openai(7, 'OhMyGPT', { baseUrl: 'https://api.ohmygpt.com' }),
  openai(8, 'Custom', {
    label: '自定义渠道',
    colour: 'pink',
    url: 'whole-address',
    balance: 'openai-billing',
  }),
  openai(9, 'AILS', { baseUrl: 'https://api.caipacity.com' }),
  openai(10, 'AIProxy', { baseUrl: 'https://api.aiproxy.io', balance: 'aiproxy' }),
  other(11, 'PaLM', 'palm', { label: 'Google PaLM2', colour: 'orange', modes: CHAT }),
  openai(12, 'API2GPT', { baseUrl: 'https://api.api2gpt.com', balance: 'api2gpt' }),
  openai(13, 'AIGC2D', { baseUrl: 'https://api.aigc2d.com', balance: 'aigc2d' }),
  other(14, 'Anthropic', 'claude', {
    label: 'Anthropic Claude',
    colour: 'indigo',
    baseUrl: 'https://api.anthropic.com',
    url: 'path',
    auth: 'x-api-key',
    modes: CHAT,
  }),
  other(15, 'Baidu', 'baidu', {
    label: '百度文心千帆',
    colour: 'blue',
    baseUrl: 'https://aip.baidubce.com',
    modes: ['chat', 'embeddings'],
  }),
  other(16, 'Zhipu', 'zhipu-v3', {
    label: '智谱 ChatGLM',
    colour: 'violet',
    baseUrl: 'https://open.bigmodel.cn',
    modes: CHAT,
  }),
  openai(17, 'Ali', {
    label: '阿里通义千问',
    colour: 'orange',
    baseUrl: 'https://dashscope.aliyuncs.com',
    url: 'dashscope',
    quirks: ['no-developer-role', 'dashscope-headers', 'top-p-inside-zero-one'],
    modes: ['chat', 'embeddings'],
  }),
  other(18, 'Xunfei', 'xunfei', {
    label: '讯飞星火认知',
    colour: 'blue',
    baseUrl: 'https://spark-api.xf-yun.com',
    modes: CHAT,
  }),
  openai(19, '360', {
    label: '360 智脑',
    colour: 'blue',
    baseUrl: 'https://api.360.cn',
    quirks: ['no-developer-role'],
  }),
  openai(20, 'OpenRouter', {
    label: 'OpenRouter',
    colour: 'green',
    baseUrl: 'https://openrouter.ai/api',
    quirks: ['openrouter-headers'],
  }),
  other(21, 'AIProxyLibrary', 'none', {
    label: '知识库：AI Proxy',
    colour: 'purple',
    baseUrl: 'https://api.aiproxy.io',
    modes: [],
  }),
  openai(22, 'FastGPT', {
    label: '知识库：FastGPT',
    colour: 'blue',
    baseUrl: 'https://fastgpt.run/api/openapi',
  }),
  other(23, 'Tencent', 'tencent', {
    label: '腾讯混元',
    colour: 'teal',
    baseUrl: 'https://hunyuan.tencentcloudapi.com',
    modes: CHAT,
  }),
  other(24, 'Gemini', 'gemini', {
    label: 'Google Gemini',
    colour: 'orange',
    baseUrl: 'https://generativelanguage.googleapis.com',
    url: 'path',
    auth: 'x-goog-api-key',
    modes: ['chat', 'embeddings', 'embed-content'],
  }),
  openai(25, 'Moonshot', {
    label: 'Moonshot',
    colour: 'green',
    baseUrl: 'https://api.moonshot.cn',
    quirks: ['no-developer-role', 'thoughts-with-calls'],
  }),
  openai(26, 'Zhipu_v4', {
    label: '智谱 GLM-4V',
    colour: 'purple',
    baseUrl: 'https://open.bigmodel.cn',
    url: 'zhipu-v4',
    auth: 'zhipu-jwt',
    quirks: ['no-developer-role', 'top-p-below-one'],
    modes: ['chat', 'embeddings'],
  }),
  openai(27, 'Perplexity', {
    label: 'Perplexity',
    colour: 'teal',
    baseUrl: 'https://api.perplexity.ai',
    url: 'perplexity',
    quirks: ['no-developer-role', 'top-p-below-one'],
    modes: CHAT,
    canStreamUsage: false,
  }),
  other(28, 'Unassigned28', 'none', { modes: [] }),
  other(29, 'Unassigned29', 'none', { modes: [] }),
  other(30, 'Unassigned30', 'none', { modes: [] }),
  openai(31, 'LingYiWanWu', {
    label: '零一万物',
    colour: 'green',
    baseUrl: 'https://api.lingyiwanwu.com',
    quirks: ['no-developer-role'],
  }),
  other(32, 'Unassigned32', 'none', { modes: [] }),
  other(33, 'AWS', 'bedrock', {
    label: 'AWS Claude',
    colour: 'indigo',
    url: 'path',
    auth: 'sigv4',
    modes: CHAT,
  }),
  other(34, 'Cohere', 'cohere', {
    label: 'Cohere',
    colour: 'purple',
    baseUrl: 'https://api.cohere.ai',
    modes: ['chat', 'rerank'],
  }),
  openai(35, 'MiniMax', {
    label: 'MiniMax',
    colour: 'green',
    baseUrl: 'https://api.minimax.chat',
    url: 'minimax',
    native: RESPONSES,
    modes: CHAT,
    quirks: ['no-developer-role'],
  }),
  other(36, 'SunoAPI', 'suno', { label: 'Suno API', colour: 'purple', modes: [] }),
  other(37, 'Dify', 'dify', {
    label: 'Dify',
    colour: 'teal',
    baseUrl: 'https://api.dify.ai',
    modes: CHAT,
  }),
  openai(38, 'Jina', {
    label: 'Jina',
    colour: 'blue',
    baseUrl: 'https://api.jina.ai',
    modes: ['embeddings', 'rerank'],
  }),
  openai(39, 'Cloudflare', {
    label: 'Cloudflare',
    colour: 'grey',
    baseUrl: 'https://api.cloudflare.com',
    url: 'cloudflare',
    modes: ['chat', 'embeddings', 'audio'],
    quirks: ['no-developer-role'],
  }),
  openai(40, 'SiliconFlow', {
    label: 'SiliconCloud',
    colour: 'purple',
    baseUrl: 'https://api.siliconflow.cn',
    modes: ['chat', 'completions', 'embeddings', 'rerank'],
    balance: 'siliconflow',
    quirks: ['no-developer-role'],
  }),
  other(41, 'VertexAI', 'vertex', {
    label: 'Vertex AI',
    colour: 'blue',
    url: 'path',
    auth: 'google',
    modes: ['chat', 'embeddings', 'embed-content'],
  }),
  openai(42, 'Mistral', {
    label: 'Mistral AI',
    colour: 'blue',
    baseUrl: 'https://api.mistral.ai',
    modes: ['chat', 'embeddings', 'infill'],
    quirks: ['no-developer-role', 'mistral-schema'],
    canStreamUsage: false,
  }),
  openai(43, 'DeepSeek', {
    label: 'DeepSeek',
    colour: 'blue',
    baseUrl: 'https://api.deepseek.com',
    url: 'deepseek',
    modes: ['chat', 'completions'],
    balance: 'deepseek',
    quirks: ['no-developer-role', 'thoughts-with-calls'],
  }),
  openai(44, 'MokaAI', {
    label: '嵌入模型：MokaAI M3E',
    colour: 'purple',
    baseUrl: 'https://api.moka.ai',
    url: 'moka',
    modes: ['embeddings'],
  }),
  openai(45, 'VolcEngine', {
    label: '字节火山方舟、豆包、DeepSeek通用',
    colour: 'blue',
    baseUrl: 'https://ark.cn-beijing.volces.com',
    url: 'volcengine',
    native: RESPONSES,
    modes: ['chat', 'embeddings'],
    quirks: ['no-developer-role'],
  }),
  openai(46, 'BaiduV2', {
    label: '百度文心千帆V2',
    colour: 'blue',
    baseUrl: 'https://qianfan.baidubce.com',
    url: 'baidu-v2',
    modes: CHAT,
    quirks: ['no-developer-role'],
  }),
  openai(47, 'Xinference', { label: 'Xinference', colour: 'blue', quirks: ['no-developer-role'] }),
  openai(48, 'xAI', {
    label: 'xAI',
    colour: 'blue',
    baseUrl: 'https://api.x.ai',
    quirks: ['output-is-total-minus-input'],
    native: RESPONSES,
    modes: ['chat', 'images'],
  }),
  other(49, 'Coze', 'coze', {
    label: 'Coze',
    colour: 'blue',
    baseUrl: 'https://api.coze.cn',
    modes: CHAT,
  }),
]

/** All types 1-49, in order of their numbers. */
export const channelTypes: readonly ChannelType[] = TYPES

/** The row of a type; null for a number that is none. */
export const channelType = (id: number): ChannelType | null => TYPES[id - 1] ?? null

const BUILT: ReadonlySet<Protocol> = new Set<Protocol>([
  'openai',
  'claude',
  'bedrock',
  'gemini',
  'responses',
  'vertex',
])

/** Whether channels of types that speak the protocol can be called. */
export const isBuilt = (protocol: Protocol): protocol is UpstreamProtocolName | 'vertex' =>
  BUILT.has(protocol)

/** Models of vectors that Vertex AI asks by `:predict`; its later ones have `:embedContent`, as Google's SDKs know. */
const PREDICTS =
  /^(?:text-embedding-|textembedding-gecko|text-multilingual-embedding-|gemini-embedding-001$)/
const VECTORS: ReadonlySet<Mode> = new Set<Mode>(['embeddings', 'embed-content'])

/** The protocol by which Vertex AI serves an operation of a model; null = it does not. */
export function vertexProtocol(model: string, mode: Mode): UpstreamProtocolName | null {
  if (VECTORS.has(mode)) {
    if (PREDICTS.test(model)) return 'vertex-predict'
    return model.startsWith('gemini') ? 'vertex-gemini' : null
  }
  if (PREDICTS.test(model)) return null
  if (model.startsWith('claude')) return 'vertex-claude'
  if (model.startsWith('gemini')) return 'vertex-gemini'
  // Open models are named with their publisher.
  return model.includes('llama') || model.includes('/') ? 'vertex-openai' : null
}

/** The modes that channels of a type serve: none while its protocol is not built, or when there is no such type. */
export function servedBy(id: number): readonly Mode[] {
  const type = channelType(id)
  return type !== null && isBuilt(type.protocol) ? type.modes : []
}

/** Types in the order that the console offers them (spec/channels.md 1.1): all that have a name and can be added. */
export const consoleOrder: readonly number[] = [
  1, 2, 5, 36, 4, 14, 33, 41, 3, 34, 39, 43, 15, 46, 17, 18, 16, 26, 24, 11, 47, 25, 20, 19, 23, 31,
  35, 37, 38, 40, 42, 27, 8, 22, 44, 45, 48, 49,
]
