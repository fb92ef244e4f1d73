/** The people of the demo, what they use, and the channels that serve them. All made up. */

/** One way of using the gateway: a token, its models, and how it asks. */
export interface Habit {
  readonly token: string
  /** Models with how often each is used, relative to the others. */
  readonly models: readonly (readonly [model: string, weight: number])[]
  /** Share of the whole traffic, relative to other habits. */
  readonly weight: number
  /** `office`: on weekdays by day; `always`: evenly; `nights`: in the small hours, as batch jobs do. */
  readonly hours: 'office' | 'always' | 'nights'
  /** Typical tokens in and out; single requests scatter widely around them. */
  readonly promptTokens: number
  readonly answerTokens: number
  /** Share of requests that stream. */
  readonly streamed: number
}

export interface Person {
  readonly username: string
  readonly group: 'default' | 'vip' | 'svip'
  /** Quota given at the start and again every month, in US dollars. */
  readonly monthlyDollars: number
  readonly habits: readonly Habit[]
}

export const PEOPLE: readonly Person[] = [
  {
    username: 'mei.lin',
    group: 'vip',
    monthlyDollars: 12,
    habits: [
      {
        token: 'support-bot',
        models: [
          ['gpt-4o-mini', 8],
          ['gpt-4o', 2],
        ],
        weight: 30,
        hours: 'always',
        promptTokens: 900,
        answerTokens: 160,
        streamed: 0.9,
      },
      {
        token: 'nightly-summaries',
        models: [['gpt-4o', 1]],
        weight: 6,
        hours: 'nights',
        promptTokens: 3200,
        answerTokens: 420,
        streamed: 0,
      },
    ],
  },
  {
    username: 'sofia.reyes',
    group: 'svip',
    monthlyDollars: 9,
    habits: [
      {
        token: 'storefront-search',
        models: [['text-embedding-3-small', 1]],
        weight: 18,
        hours: 'always',
        promptTokens: 220,
        answerTokens: 0,
        streamed: 0,
      },
      {
        token: 'product-copy',
        models: [
          ['gpt-4o', 5],
          ['deepseek-chat', 4],
        ],
        weight: 9,
        hours: 'office',
        promptTokens: 700,
        answerTokens: 380,
        streamed: 0.4,
      },
    ],
  },
  {
    username: 'marcus.t',
    group: 'default',
    monthlyDollars: 5,
    habits: [
      {
        token: 'ide-plugin',
        models: [
          ['deepseek-chat', 6],
          ['o3-mini', 2],
        ],
        weight: 14,
        hours: 'office',
        promptTokens: 1800,
        answerTokens: 260,
        streamed: 1,
      },
    ],
  },
  {
    username: 'aiko',
    group: 'vip',
    monthlyDollars: 6,
    habits: [
      {
        token: 'translation',
        models: [
          ['gpt-4o-mini', 5],
          ['open-mistral-7b', 3],
        ],
        weight: 11,
        hours: 'office',
        promptTokens: 480,
        answerTokens: 440,
        streamed: 0.2,
      },
      {
        token: 'evaluation',
        models: [
          ['o3-mini', 3],
          ['deepseek-reasoner', 3],
        ],
        weight: 4,
        hours: 'nights',
        promptTokens: 1100,
        answerTokens: 900,
        streamed: 0,
      },
    ],
  },
  {
    username: 'omar',
    group: 'default',
    monthlyDollars: 2,
    habits: [
      {
        token: 'homework-helper',
        models: [['gpt-4o-mini', 1]],
        weight: 4,
        hours: 'always',
        promptTokens: 300,
        answerTokens: 240,
        streamed: 1,
      },
    ],
  },
  {
    username: 'jonas',
    group: 'default',
    monthlyDollars: 3,
    habits: [
      {
        token: 'prototype',
        models: [
          ['gpt-4o', 1],
          ['open-mistral-7b', 2],
        ],
        weight: 3,
        hours: 'office',
        promptTokens: 600,
        answerTokens: 300,
        streamed: 0.6,
      },
    ],
  },
]

export const PASSWORD = 'demo-password'

export interface DemoChannel {
  readonly name: string
  /** Channel type, as relay/channel-types.ts numbers them. */
  readonly type: number
  readonly key: string
  readonly models: string
  readonly priority: number
  readonly weight: number
  readonly tag: string
}

/** A key that the provider withdraws late in the history: its channel is then switched off by itself. */
export const DYING_KEY = 'sk-demo-second'
/** The channel that always answers when the others fail. */
export const RESERVE_KEY = 'sk-demo-reserve'

export const CHANNELS: readonly DemoChannel[] = [
  {
    name: 'OpenAI · production',
    type: 1,
    key: 'sk-demo-production',
    models: 'gpt-4o,gpt-4o-mini,o3-mini,text-embedding-3-small',
    priority: 10,
    weight: 20,
    tag: 'openai',
  },
  {
    name: 'OpenAI · second account',
    type: 1,
    key: DYING_KEY,
    models: 'gpt-4o,gpt-4o-mini',
    priority: 10,
    weight: 5,
    tag: 'openai',
  },
  {
    name: 'OpenAI · reserve',
    type: 1,
    key: RESERVE_KEY,
    models: 'gpt-4o,gpt-4o-mini,o3-mini',
    priority: 0,
    weight: 0,
    tag: 'openai',
  },
  {
    name: 'DeepSeek',
    type: 43,
    key: 'sk-demo-deepseek',
    models: 'deepseek-chat,deepseek-reasoner',
    priority: 5,
    weight: 0,
    tag: '',
  },
  {
    name: 'Mistral',
    type: 42,
    key: 'sk-demo-mistral',
    models: 'open-mistral-7b',
    priority: 5,
    weight: 0,
    tag: '',
  },
]

/** Set before the traffic begins; the relay then routes, retries and prices by them. */
export const OPTIONS: Readonly<Record<string, string>> = {
  RetryTimes: '2',
  AutomaticDisableChannelEnabled: 'true',
  GroupRatio: JSON.stringify({ default: 1, vip: 0.9, svip: 0.8 }),
}

/** The agreement with the gateway that the demo's people pay at; the gateway itself is made up, too. */
export const MERCHANT = {
  pid: '1000',
  key: 'demo-merchant-key',
  address: 'https://pay.example.com',
} as const

/** Model ratios beside the built-in ones: models that these channels offer and the defaults do not know. */
export const MODEL_RATIOS: Readonly<Record<string, number>> = { 'open-mistral-7b': 0.125 }

/** Ratios that the administrator lowers in the second of the two finished months: gpt-4o becomes a fifth cheaper. */
export const PRICE_CHANGE: Readonly<Record<string, number>> = { 'gpt-4o': 1, 'o3-mini': 0.44 }
