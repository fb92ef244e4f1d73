import type { Tab } from './filters.ts'
import type { TableShape } from './tables.ts'

/** How an option is edited, what it is from the start, and what may be typed. Amounts are in quota. */
export type OptionSpec =
  | { readonly kind: 'switch'; readonly initial: 'true' | 'false' }
  | { readonly kind: 'line' | 'picture'; readonly initial: string }
  /** One entry a line; `isCaseless`: in any case. */
  | { readonly kind: 'lines'; readonly initial: string; readonly isCaseless?: boolean }
  /** Markdown or HTML of the operator, with a preview; `hasAddress`: an address alone is shown as a frame. */
  | { readonly kind: 'page'; readonly initial: '' }
  /** An http(s) address, or none. */
  | { readonly kind: 'address'; readonly initial: string }
  /** Written, never read: an empty field leaves what is stored. */
  | { readonly kind: 'secret'; readonly initial: '' }
  /** Mail domains, by commas. */
  | { readonly kind: 'domains'; readonly initial: string }
  | {
      readonly kind: 'number'
      readonly initial: string
      readonly isWhole: boolean
      readonly min: number
      /** The least value itself is not allowed. */
      readonly isAbove?: boolean
      readonly max?: number
      /** The value is an amount of quota: it is typed in the unit on show. */
      readonly isQuota?: boolean
    }
  | {
      readonly kind: 'choice'
      readonly initial: 'hour'
      readonly choices: readonly ['hour', 'day', 'week']
    }
  /** `initial` null: too long for the console to have; the server tells it. */
  | { readonly kind: 'table'; readonly shape: TableShape; readonly initial: string | null }

const switchOf = (initial: 'true' | 'false') => ({ kind: 'switch', initial }) as const
const on = switchOf('true')
const off = switchOf('false')
const line = { kind: 'line', initial: '' } as const
const address = { kind: 'address', initial: '' } as const
const secret = { kind: 'secret', initial: '' } as const
const page = { kind: 'page', initial: '' } as const
const picture = { kind: 'picture', initial: '' } as const
const whole = (initial: string, min: number, max?: number) =>
  ({ kind: 'number', initial, isWhole: true, min, ...(max === undefined ? {} : { max }) }) as const
const quota = (initial: string) => ({ ...whole(initial, 0), isQuota: true }) as const
const share = (initial: string) =>
  ({ kind: 'number', initial, isWhole: false, min: 0.1, max: 1 }) as const
const table = (shape: TableShape, initial: string | null) =>
  ({ kind: 'table', shape, initial }) as const

/**
 * Every option of the settings: forms, search, "changed from the default" and reset come from here. The server knows
 * the same of them and has the last word.
 */
export const OPTIONS = {
  TopUpLink: line,
  ContactImageURL: picture,
  'general_setting.docs_link': line,
  QuotaPerUnit: {
    kind: 'number',
    initial: '500000',
    isWhole: false,
    min: 0,
    isAbove: true,
    max: 1_000_000_000,
  },
  RetryTimes: whole('0', 0, 10),
  DisplayInCurrencyEnabled: on,
  DisplayTokenStatEnabled: on,
  DefaultCollapseSidebar: off,
  DemoSiteEnabled: off,
  SelfUseModeEnabled: off,

  DrawingEnabled: on,
  MjNotifyEnabled: off,
  MjAccountFilterEnabled: off,
  MjForwardUrlEnabled: on,
  MjModeClearEnabled: off,
  MjActionCheckSuccessEnabled: on,
  TaskEnabled: on,

  CheckSensitiveEnabled: on,
  CheckSensitiveOnPromptEnabled: on,
  StopOnSensitiveEnabled: on,
  SensitiveWords: { kind: 'lines', initial: 'test_sensitive' },
  StreamCacheQueueLength: whole('0', 0, 65_536),

  LogConsumeEnabled: on,

  DataExportEnabled: on,
  DataExportInterval: whole('5', 1),
  DataExportDefaultTime: { kind: 'choice', initial: 'hour', choices: ['hour', 'day', 'week'] },

  ChannelDisableThreshold: { kind: 'number', initial: '5', isWhole: false, min: 0 },
  QuotaRemindThreshold: quota('1000'),
  AutomaticDisableChannelEnabled: off,
  AutomaticEnableChannelEnabled: off,
  AutomaticDisableKeywords: {
    kind: 'lines',
    isCaseless: true,
    initial: [
      'your credit balance is too low',
      'this organization has been disabled.',
      'you exceeded your current quota',
      'permission denied',
      'the security token included in the request is invalid',
      'operation not allowed',
      'your account is not authorized',
    ].join('\n'),
  },

  QuotaForNewUser: quota('0'),
  // Counted in tokens of output, whatever its name says.
  PreConsumedQuota: whole('500', 0, 10_000_000),
  QuotaForInviter: quota('0'),
  QuotaForInvitee: quota('0'),

  Chats: table(
    'chats',
    JSON.stringify([
      {
        'ChatGPT Next Web 官方示例':
          'https://app.nextchat.dev/#/?settings={"key":"{key}","url":"{address}"}',
      },
      {
        'Lobe Chat 官方示例':
          'https://chat-preview.lobehub.com/?settings={"keyVaults":{"openai":{"apiKey":"{key}","baseURL":"{address}/v1"}}}',
      },
      {
        'AI as Workspace':
          'https://aiaw.app/set-provider?provider={"type":"openai","settings":{"apiKey":"{key}","baseURL":"{address}/v1","compatibility":"strict"}}',
      },
      { 'AMA 问天': 'ama://set-api-key?server={address}&key={key}' },
      { OpenCat: 'opencat://team/join?domain={address}&token={key}' },
    ]),
  ),

  GroupRatio: table('ratios', '{"default":1,"svip":1,"vip":1}'),
  UserUsableGroups: table('texts', '{"default":"默认分组","vip":"vip分组"}'),

  ModelPrice: table('ratios', null),
  ModelRatio: table('ratios', null),
  CacheRatio: table('ratios', null),
  CacheWriteRatio: table('ratios', '{}'),
  CacheWrite1hRatio: table('ratios', '{}'),
  AudioRatio: table('ratios', '{}'),
  AudioCompletionRatio: table('ratios', '{}'),
  CachedAudioRatio: table('ratios', '{}'),
  CachedImageRatio: table('ratios', '{}'),
  ImageOutRatio: table('ratios', '{}'),
  PriceFactors: table('factors', '{}'),
  ToolPrices: table(
    'ratios',
    '{"web_search_low":25,"web_search_medium":27.5,"web_search_high":30,"web_search_large_low":30,"web_search_large_medium":35,"web_search_large_high":50,"web_search_claude":10,"web_search_gemini":35,"web_search_gemini_3":14,"web_search_grok":5,"file_search":2.5}',
  ),
  CompletionRatio: table('ratios', null),

  ModelRequestRateLimitEnabled: off,
  ModelRequestRateLimitDurationMinutes: whole('1', 0),
  ModelRequestRateLimitCount: whole('0', 0),
  ModelRequestRateLimitSuccessCount: whole('1000', 1),
  ModelRequestRateLimitGroup: table('rates', '{}'),
  AccessTokenRateLimit: whole('1200', 0, 1_000_000),

  'global.pass_through_request_enabled': off,
  'general_setting.ping_interval_enabled': off,
  'general_setting.ping_interval_seconds': whole('60', 1),
  'relay_setting.first_byte_timeout_seconds': whole('120', 1, 3600),
  'relay_setting.finish_overdrawn_streams': off,
  'relay_setting.drain_cancelled_requests': off,

  'gemini.safety_settings': table(
    'texts',
    '{"HARM_CATEGORY_CIVIC_INTEGRITY":"BLOCK_NONE","default":"OFF"}',
  ),
  'gemini.version_settings': table('texts', '{"default":"v1beta","gemini-1.0-pro":"v1"}'),
  'gemini.supported_imagine_models': table('list', '[]'),
  'gemini.thinking_adapter_enabled': off,
  'gemini.thinking_adapter_budget_tokens_percentage': share('0.6'),

  'claude.model_headers_settings': table('headers', '{}'),
  'claude.default_max_tokens': table('limits', '{"default":8192}'),
  'claude.thinking_adapter_enabled': on,
  'claude.thinking_adapter_budget_tokens_percentage': share('0.8'),

  ServerAddress: address,

  WorkerUrl: address,
  WorkerValidKey: secret,
  WorkerAllowHttpImageRequestEnabled: off,
  'fetch_setting.allow_private_addresses': off,
  'fetch_setting.allow_private_channel_addresses': on,

  PayAddress: address,
  EpayId: line,
  EpayKey: secret,
  Price: { kind: 'number', initial: '7.3', isWhole: false, min: 0, isAbove: true },
  MinTopUp: whole('1', 1),
  CustomCallbackAddress: address,
  TopupGroupRatio: table('ratios', '{"default":1,"svip":1,"vip":1}'),

  PasswordLoginEnabled: on,
  PasswordRegisterEnabled: on,
  EmailVerificationEnabled: off,
  RegisterEnabled: on,

  EmailDomainWhitelist: {
    kind: 'domains',
    initial:
      'gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com',
  },
  EmailDomainRestrictionEnabled: off,
  EmailAliasRestrictionEnabled: off,

  SMTPServer: line,
  SMTPPort: whole('587', 1, 65_535),
  SMTPAccount: line,
  SMTPFrom: line,
  SMTPToken: secret,
  SMTPSSLEnabled: off,

  'oidc.well_known': address,
  'oidc.client_id': line,
  'oidc.client_secret': secret,
  'oidc.authorization_endpoint': address,
  'oidc.token_endpoint': address,
  'oidc.user_info_endpoint': address,
  'oidc.enabled': off,

  GitHubServerAddress: { kind: 'address', initial: 'https://github.com' },
  GitHubClientId: line,
  GitHubClientSecret: secret,
  GitHubOAuthEnabled: off,

  LinuxDOServerAddress: { kind: 'address', initial: 'https://connect.linux.do' },
  LinuxDOClientId: line,
  LinuxDOClientSecret: secret,
  LinuxDOOAuthEnabled: off,

  WeChatServerAddress: address,
  WeChatServerToken: secret,
  WeChatAccountQRCodeImageURL: picture,
  WeChatAuthEnabled: off,

  TelegramBotToken: secret,
  TelegramBotName: line,
  TelegramOAuthEnabled: off,

  TurnstileSiteKey: secret,
  TurnstileSecretKey: secret,
  TurnstileCheckEnabled: off,

  Notice: page,
  SystemName: { kind: 'line', initial: 'Tollgate' },
  Logo: picture,
  HomePageContent: page,
  About: page,
  Footer: page,
} satisfies Readonly<Record<string, OptionSpec>>

/** The name of an option, as the server knows it. */
export type OptionKey = keyof typeof OPTIONS

/** The specification of an option. */
export const specOf = (key: OptionKey): OptionSpec => OPTIONS[key]

/** The name of an option in the names of texts, which know no points. */
export const textName = <Key extends OptionKey>(key: Key) => key.replaceAll('.', '_') as Named<Key>

type Named<Key> = Key extends `${infer Before}.${infer After}` ? `${Before}_${After}` : Key

/** Options that are shown and saved together, in the order in which they are shown. */
export const SECTIONS = {
  general: {
    tab: 'operation',
    keys: [
      'TopUpLink',
      'ContactImageURL',
      'general_setting.docs_link',
      'QuotaPerUnit',
      'RetryTimes',
      'DisplayInCurrencyEnabled',
      'DisplayTokenStatEnabled',
      'DefaultCollapseSidebar',
      'DemoSiteEnabled',
      'SelfUseModeEnabled',
    ],
  },
  drawing: {
    tab: 'operation',
    keys: [
      'DrawingEnabled',
      'MjNotifyEnabled',
      'MjAccountFilterEnabled',
      'MjForwardUrlEnabled',
      'MjModeClearEnabled',
      'MjActionCheckSuccessEnabled',
      'TaskEnabled',
    ],
  },
  sensitive: {
    tab: 'operation',
    keys: [
      'CheckSensitiveEnabled',
      'CheckSensitiveOnPromptEnabled',
      'StopOnSensitiveEnabled',
      'StreamCacheQueueLength',
      'SensitiveWords',
    ],
  },
  log: { tab: 'operation', keys: ['LogConsumeEnabled'] },
  dashboard: {
    tab: 'operation',
    keys: ['DataExportEnabled', 'DataExportInterval', 'DataExportDefaultTime'],
  },
  monitoring: {
    tab: 'operation',
    keys: [
      'ChannelDisableThreshold',
      'QuotaRemindThreshold',
      'AutomaticDisableChannelEnabled',
      'AutomaticEnableChannelEnabled',
      'AutomaticDisableKeywords',
    ],
  },
  quota: {
    tab: 'operation',
    keys: ['QuotaForNewUser', 'PreConsumedQuota', 'QuotaForInviter', 'QuotaForInvitee'],
  },
  chat: { tab: 'operation', keys: ['Chats'] },
  groups: { tab: 'operation', keys: ['GroupRatio', 'UserUsableGroups'] },
  modelRatios: {
    tab: 'operation',
    keys: [
      'ModelPrice',
      'ModelRatio',
      'CacheRatio',
      'CacheWriteRatio',
      'CacheWrite1hRatio',
      'CompletionRatio',
      'AudioRatio',
      'AudioCompletionRatio',
      'CachedAudioRatio',
      'CachedImageRatio',
      'ImageOutRatio',
      'PriceFactors',
      'ToolPrices',
    ],
  },
  rateLimit: {
    tab: 'ratelimit',
    keys: [
      'ModelRequestRateLimitEnabled',
      'ModelRequestRateLimitDurationMinutes',
      'ModelRequestRateLimitCount',
      'ModelRequestRateLimitSuccessCount',
      'ModelRequestRateLimitGroup',
    ],
  },
  accessTokens: { tab: 'ratelimit', keys: ['AccessTokenRateLimit'] },
  relay: {
    tab: 'models',
    keys: [
      'global.pass_through_request_enabled',
      'general_setting.ping_interval_enabled',
      'general_setting.ping_interval_seconds',
      'relay_setting.first_byte_timeout_seconds',
      'relay_setting.finish_overdrawn_streams',
      'relay_setting.drain_cancelled_requests',
    ],
  },
  gemini: {
    tab: 'models',
    keys: [
      'gemini.thinking_adapter_enabled',
      'gemini.thinking_adapter_budget_tokens_percentage',
      'gemini.safety_settings',
      'gemini.version_settings',
      'gemini.supported_imagine_models',
    ],
  },
  claude: {
    tab: 'models',
    keys: [
      'claude.thinking_adapter_enabled',
      'claude.thinking_adapter_budget_tokens_percentage',
      'claude.default_max_tokens',
      'claude.model_headers_settings',
    ],
  },
  server: { tab: 'system', keys: ['ServerAddress'] },
  worker: {
    tab: 'system',
    keys: [
      'WorkerUrl',
      'WorkerValidKey',
      'WorkerAllowHttpImageRequestEnabled',
      'fetch_setting.allow_private_addresses',
      'fetch_setting.allow_private_channel_addresses',
    ],
  },
  payment: {
    tab: 'system',
    keys: [
      'PayAddress',
      'CustomCallbackAddress',
      'EpayId',
      'EpayKey',
      'Price',
      'MinTopUp',
      'TopupGroupRatio',
    ],
  },
  login: {
    tab: 'system',
    keys: [
      'PasswordLoginEnabled',
      'PasswordRegisterEnabled',
      'EmailVerificationEnabled',
      'RegisterEnabled',
    ],
  },
  domains: {
    tab: 'system',
    keys: ['EmailDomainRestrictionEnabled', 'EmailAliasRestrictionEnabled', 'EmailDomainWhitelist'],
  },
  smtp: {
    tab: 'system',
    keys: ['SMTPServer', 'SMTPPort', 'SMTPAccount', 'SMTPFrom', 'SMTPToken', 'SMTPSSLEnabled'],
  },
  oidc: {
    tab: 'system',
    keys: [
      'oidc.enabled',
      'oidc.well_known',
      'oidc.client_id',
      'oidc.client_secret',
      'oidc.authorization_endpoint',
      'oidc.token_endpoint',
      'oidc.user_info_endpoint',
    ],
  },
  github: {
    tab: 'system',
    keys: ['GitHubOAuthEnabled', 'GitHubServerAddress', 'GitHubClientId', 'GitHubClientSecret'],
  },
  linuxdo: {
    tab: 'system',
    keys: ['LinuxDOOAuthEnabled', 'LinuxDOServerAddress', 'LinuxDOClientId', 'LinuxDOClientSecret'],
  },
  wechat: {
    tab: 'system',
    keys: [
      'WeChatAuthEnabled',
      'WeChatServerAddress',
      'WeChatServerToken',
      'WeChatAccountQRCodeImageURL',
    ],
  },
  telegram: {
    tab: 'system',
    keys: ['TelegramOAuthEnabled', 'TelegramBotToken', 'TelegramBotName'],
  },
  turnstile: {
    tab: 'system',
    keys: ['TurnstileCheckEnabled', 'TurnstileSiteKey', 'TurnstileSecretKey'],
  },
  pages: {
    tab: 'other',
    keys: ['Notice', 'SystemName', 'Logo', 'HomePageContent', 'About', 'Footer'],
  },
} satisfies Readonly<Record<string, { readonly tab: Tab; readonly keys: readonly OptionKey[] }>>

/** The name of a section. */
export type SectionName = keyof typeof SECTIONS

/** The options of a section. */
export const keysOf = (name: SectionName): readonly OptionKey[] => SECTIONS[name].keys

/** The sections of a tab, in their order. */
export const sectionsOf = (tab: Tab): readonly SectionName[] =>
  (Object.keys(SECTIONS) as SectionName[]).filter((name) => SECTIONS[name].tab === tab)
