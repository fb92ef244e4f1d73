import { expect, test } from 'vitest'
import { channelType } from '../channel-types.ts'
import { addressOf } from './address.ts'

const CHAT = '/v1/chat/completions'

test.each([
  [1, '', '', CHAT, 'gpt-4o', 'https://api.openai.com/v1/chat/completions'],
  [
    1,
    'http://127.0.0.1:8080/prefix',
    '',
    CHAT,
    'm',
    'http://127.0.0.1:8080/prefix/v1/chat/completions',
  ],
  [
    1,
    'https://gateway.ai.cloudflare.com/v1/a/g/openai',
    '',
    CHAT,
    'm',
    'https://gateway.ai.cloudflare.com/v1/a/g/openai/chat/completions',
  ],
  [
    3,
    'https://r.openai.azure.com',
    '',
    CHAT,
    'gpt-3.5-turbo',
    'https://r.openai.azure.com/openai/deployments/gpt-3.5-turbo/chat/completions?api-version=2024-12-01-preview',
  ],
  [
    3,
    'https://r.openai.azure.com',
    '2025-01-01',
    '/v1/embeddings',
    'e',
    'https://r.openai.azure.com/openai/deployments/e/embeddings?api-version=2025-01-01',
  ],
  [8, 'https://h.example/x/{model}?k=1', '', CHAT, 'a b', 'https://h.example/x/a%20b?k=1'],
  [
    17,
    '',
    '',
    CHAT,
    'qwen-max',
    'https://dashscope.aliyuncs.com/compatible-mode/v1/chat/completions',
  ],
  [20, '', '', CHAT, 'x/y', 'https://openrouter.ai/api/v1/chat/completions'],
  [26, '', '', '/v1/embeddings', 'e', 'https://open.bigmodel.cn/api/paas/v4/embeddings'],
  [27, '', '', CHAT, 'm', 'https://api.perplexity.ai/chat/completions'],
  [35, '', '', CHAT, 'm', 'https://api.minimax.chat/v1/text/chatcompletion_v2'],
  [
    39,
    '',
    'acc',
    CHAT,
    'm',
    'https://api.cloudflare.com/client/v4/accounts/acc/ai/v1/chat/completions',
  ],
  [43, '', '', '/v1/completions', 'm', 'https://api.deepseek.com/beta/completions'],
  [43, '', '', CHAT, 'm', 'https://api.deepseek.com/v1/chat/completions'],
  [44, '', '', '/v1/embeddings', 'm3e-base', 'https://api.moka.ai/embeddings'],
  [45, '', '', CHAT, 'bot-1', 'https://ark.cn-beijing.volces.com/api/v3/bots/chat/completions'],
  [46, '', '', CHAT, 'm', 'https://qianfan.baidubce.com/v2/chat/completions'],
])(
  'given type %i at %o (%o), when %s is asked for %s, then it goes to %s',
  (id, base, other, path, model, address) => {
    const type = channelType(id)
    if (type === null) throw new Error(`no type ${id}`)
    const { origin, path: target } = addressOf({
      rule: type.url,
      baseUrl: base === '' ? type.baseUrl : base,
      other,
      path,
      upstreamModel: model,
    })
    expect(origin + target).toBe(address)
  },
)
