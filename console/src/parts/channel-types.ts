import type { BodyOf } from '../core/calls.ts'

/** The number of a channel type that the server knows. */
export type ChannelTypeId = NonNullable<BodyOf<'POST', '/api/channel/fetch_models'>['type']>

/** An upstream channel type, as the console knows it (ids of the seeds; facts of the vendors' own pages). */
export interface ChannelType {
  readonly id: number
  readonly zh: string
  readonly en: string
  /** Chakra colour palette of its tag; green, orange and red are left to states. */
  readonly palette: string
  readonly base?: string
  /** Shape of the key when it is more than one word. */
  readonly keyHint?: string
  /** The meaning of the field `other` for this type. */
  readonly other?: 'apiVersion' | 'sparkVersion' | 'knowledgeId' | 'accountId' | 'region' | 'botId'
  /** How the base URL is asked for: the common field, a labelled one of its own, or not at all. */
  readonly address?: 'endpoint' | 'fullUrl' | 'none'
  readonly notice?: 'azure' | 'custom' | 'dify' | 'vertex'
}

/** The types that a channel may have, in the order in which the form offers them. */
export const CHANNEL_TYPES: readonly (ChannelType & { readonly id: ChannelTypeId })[] = [
  { id: 1, zh: 'OpenAI', en: 'OpenAI', palette: 'cyan', base: 'https://api.openai.com' },
  { id: 2, zh: 'Midjourney Proxy', en: 'Midjourney Proxy', palette: 'cyan' },
  { id: 5, zh: 'Midjourney Proxy Plus', en: 'Midjourney Proxy Plus', palette: 'blue' },
  { id: 36, zh: 'Suno API', en: 'Suno API', palette: 'purple', address: 'endpoint' },
  { id: 4, zh: 'Ollama', en: 'Ollama', palette: 'gray', base: 'http://localhost:11434' },
  {
    id: 14,
    zh: 'Anthropic Claude',
    en: 'Anthropic Claude',
    palette: 'purple',
    base: 'https://api.anthropic.com',
  },
  {
    id: 33,
    zh: 'AWS Claude',
    en: 'AWS Claude',
    palette: 'purple',
    keyHint: 'AccessKey|SecretKey|Region',
  },
  {
    id: 41,
    zh: 'Vertex AI',
    en: 'Vertex AI',
    palette: 'blue',
    keyHint: '{"type":"service_account", …}',
    other: 'region',
    notice: 'vertex',
  },
  {
    id: 3,
    zh: 'Azure OpenAI',
    en: 'Azure OpenAI',
    palette: 'cyan',
    other: 'apiVersion',
    address: 'endpoint',
    notice: 'azure',
  },
  { id: 34, zh: 'Cohere', en: 'Cohere', palette: 'purple', base: 'https://api.cohere.ai' },
  {
    id: 39,
    zh: 'Cloudflare',
    en: 'Cloudflare',
    palette: 'gray',
    base: 'https://api.cloudflare.com',
    other: 'accountId',
  },
  { id: 43, zh: 'DeepSeek', en: 'DeepSeek', palette: 'blue', base: 'https://api.deepseek.com' },
  {
    id: 15,
    zh: '百度文心千帆',
    en: 'Baidu Qianfan',
    palette: 'blue',
    base: 'https://aip.baidubce.com',
    keyHint: 'APIKey|SecretKey',
  },
  {
    id: 46,
    zh: '百度文心千帆 V2',
    en: 'Baidu Qianfan V2',
    palette: 'blue',
    base: 'https://qianfan.baidubce.com',
  },
  {
    id: 17,
    zh: '阿里通义千问',
    en: 'Alibaba Qwen',
    palette: 'pink',
    base: 'https://dashscope.aliyuncs.com',
  },
  {
    id: 18,
    zh: '讯飞星火认知',
    en: 'iFlytek Spark',
    palette: 'blue',
    keyHint: 'APPID|APISecret|APIKey',
    other: 'sparkVersion',
  },
  {
    id: 16,
    zh: '智谱 ChatGLM',
    en: 'Zhipu ChatGLM',
    palette: 'purple',
    base: 'https://open.bigmodel.cn',
  },
  {
    id: 26,
    zh: '智谱 GLM-4V',
    en: 'Zhipu GLM-4V',
    palette: 'purple',
    base: 'https://open.bigmodel.cn',
  },
  {
    id: 24,
    zh: 'Google Gemini',
    en: 'Google Gemini',
    palette: 'pink',
    base: 'https://generativelanguage.googleapis.com',
  },
  { id: 11, zh: 'Google PaLM2', en: 'Google PaLM2', palette: 'pink' },
  { id: 47, zh: 'Xinference', en: 'Xinference', palette: 'blue' },
  { id: 25, zh: 'Moonshot', en: 'Moonshot', palette: 'cyan', base: 'https://api.moonshot.cn' },
  {
    id: 20,
    zh: 'OpenRouter',
    en: 'OpenRouter',
    palette: 'cyan',
    base: 'https://openrouter.ai/api',
  },
  { id: 19, zh: '360 智脑', en: '360 AI', palette: 'blue', base: 'https://api.360.cn' },
  {
    id: 23,
    zh: '腾讯混元',
    en: 'Tencent Hunyuan',
    palette: 'cyan',
    base: 'https://hunyuan.tencentcloudapi.com',
    keyHint: 'AppId|SecretId|SecretKey',
  },
  { id: 31, zh: '零一万物', en: '01.AI', palette: 'cyan', base: 'https://api.lingyiwanwu.com' },
  { id: 35, zh: 'MiniMax', en: 'MiniMax', palette: 'cyan', base: 'https://api.minimax.chat' },
  { id: 37, zh: 'Dify', en: 'Dify', palette: 'cyan', base: 'https://api.dify.ai', notice: 'dify' },
  { id: 38, zh: 'Jina', en: 'Jina', palette: 'blue', base: 'https://api.jina.ai' },
  {
    id: 40,
    zh: 'SiliconCloud',
    en: 'SiliconCloud',
    palette: 'purple',
    base: 'https://api.siliconflow.cn',
  },
  { id: 42, zh: 'Mistral AI', en: 'Mistral AI', palette: 'blue', base: 'https://api.mistral.ai' },
  {
    id: 27,
    zh: 'Perplexity',
    en: 'Perplexity',
    palette: 'cyan',
    base: 'https://api.perplexity.ai',
  },
  { id: 8, zh: '自定义渠道', en: 'Custom', palette: 'pink', address: 'fullUrl', notice: 'custom' },
  {
    id: 22,
    zh: '知识库：FastGPT',
    en: 'Knowledge base: FastGPT',
    palette: 'blue',
    keyHint: 'APIKey-AppId',
    address: 'endpoint',
  },
  {
    id: 44,
    zh: '嵌入模型：MokaAI M3E',
    en: 'Embeddings: MokaAI M3E',
    palette: 'purple',
    base: 'https://api.moka.ai',
  },
  {
    id: 45,
    zh: '字节火山方舟、豆包',
    en: 'VolcEngine Ark (Doubao)',
    palette: 'blue',
    address: 'none',
  },
  { id: 48, zh: 'xAI', en: 'xAI', palette: 'blue', base: 'https://api.x.ai' },
  { id: 49, zh: 'Coze', en: 'Coze', palette: 'blue', base: 'https://api.coze.cn', other: 'botId' },
]

const UNKNOWN: ChannelType = { id: 0, zh: '未知类型', en: 'Unknown type', palette: 'gray' }
/** Its upstream has no usable protocol, so the server refuses it; a channel of an earlier system may have it. */
const AI_PROXY: ChannelType = {
  id: 21,
  zh: '知识库：AI Proxy',
  en: 'Knowledge base: AI Proxy',
  palette: 'purple',
  base: 'https://api.aiproxy.io',
  other: 'knowledgeId',
}
const BY_ID = new Map<number, ChannelType>(
  [...CHANNEL_TYPES, AI_PROXY].map((type) => [type.id, type]),
)

/** The type with an id; ids without a name are shown as unknown. */
export function channelType(id: number): ChannelType {
  return BY_ID.get(id) ?? UNKNOWN
}

/** The types that a form offers: those that a channel may have, and the one that it has while it has another. */
export function offeredTypes(own: number): readonly ChannelType[] {
  const isOffered = CHANNEL_TYPES.some(({ id }) => id === own)
  return isOffered ? CHANNEL_TYPES : [...CHANNEL_TYPES, { ...channelType(own), id: own }]
}

/** Its name in the console's language. */
export function channelTypeName(id: number, language: string): string {
  const type = channelType(id)
  return language === 'zh' ? type.zh : type.en
}
