import { QUOTA_MAX } from '../account/limits.ts'
import cacheRatio from '../pricing/data/cache-ratio.json' with { type: 'json' }
import completionRatio from '../pricing/data/completion-ratio.json' with { type: 'json' }
import groupRatio from '../pricing/data/group-ratio.json' with { type: 'json' }
import modelPrice from '../pricing/data/model-price.json' with { type: 'json' }
import modelRatio from '../pricing/data/model-ratio.json' with { type: 'json' }
import topUpGroupRatio from '../pricing/data/topup-group-ratio.json' with { type: 'json' }
import userUsableGroups from '../pricing/data/user-usable-groups.json' with { type: 'json' }
import { TOOL_PRICES } from '../pricing/tool-price.ts'
import {
  chatList,
  factorTable,
  headerTable,
  rateLimitTable,
  ratioTable,
  textList,
  textTable,
  tokenLimitTable,
  toolTable,
} from './json-shapes.ts'
import type { OptionRule } from './rules.ts'
import {
  address,
  decimal,
  domains,
  endpoint,
  flag,
  hiddenLine,
  httpsAddress,
  json,
  line,
  lines,
  modelTable,
  oneOf,
  ratios,
  secret,
  text,
  unknownSecret,
  whole,
  withDefaultEntry,
} from './rules.ts'

/**
 * Every option there is, in the order it is listed: key, kind, default and allowed values. Keys and defaults are the
 * wire contract (seeds, Option; decisions 26 and 30); amounts are in quota, times in the unit the comment names.
 */
const CATALOGUE = {
  // Legacy role thresholds; kept because scripts read them, without effect.
  FileUploadPermission: whole(0, { min: 0 }),
  FileDownloadPermission: whole(0, { min: 0 }),
  ImageUploadPermission: whole(0, { min: 0 }),
  ImageDownloadPermission: whole(0, { min: 0 }),

  PasswordLoginEnabled: flag(true),
  PasswordRegisterEnabled: flag(true),
  EmailVerificationEnabled: flag(false),
  GitHubOAuthEnabled: flag(false),
  LinuxDOOAuthEnabled: flag(false),
  TelegramOAuthEnabled: flag(false),
  WeChatAuthEnabled: flag(false),
  TurnstileCheckEnabled: flag(false),
  RegisterEnabled: flag(true),

  AutomaticDisableChannelEnabled: flag(false),
  AutomaticEnableChannelEnabled: flag(false),
  LogConsumeEnabled: flag(true),
  DisplayInCurrencyEnabled: flag(true),
  DisplayTokenStatEnabled: flag(true),
  DrawingEnabled: flag(true),
  TaskEnabled: flag(true),
  DataExportEnabled: flag(true),
  /** Seconds; 0 = never by time. */
  ChannelDisableThreshold: decimal(5, { min: 0 }),

  EmailDomainRestrictionEnabled: flag(false),
  EmailAliasRestrictionEnabled: flag(false),
  EmailDomainWhitelist: domains(
    'gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com',
  ),
  SMTPServer: line(),
  SMTPFrom: line(),
  SMTPPort: whole(587, { min: 1, max: 65_535 }),
  SMTPAccount: line(),
  SMTPToken: secret(),
  SMTPSSLEnabled: flag(false),

  Notice: text(),
  About: text(),
  HomePageContent: text(),
  Footer: text(),
  SystemName: line('Tollgate'),
  Logo: line(),
  /** '' = the address is not set yet; payment needs it. */
  ServerAddress: address(),
  WorkerUrl: address(),
  WorkerValidKey: secret(),
  WorkerAllowHttpImageRequestEnabled: flag(false),

  PayAddress: address(),
  /** '' = ServerAddress. */
  CustomCallbackAddress: address(),
  EpayId: line(),
  EpayKey: secret(),
  /** Price of one US dollar of quota in the payment's currency. */
  Price: decimal(7.3, { above: 0 }),
  MinTopUp: whole(1, { min: 1 }),
  TopupGroupRatio: ratios(
    JSON.stringify(topUpGroupRatio),
    ratioTable,
    '充值分组倍率不是合法的 JSON 字符串',
  ),
  Chats: json(
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
    chatList,
  ),

  GitHubClientId: line(),
  GitHubClientSecret: secret(),
  /** Another one than this is a GitHub Enterprise Server. */
  GitHubServerAddress: address('https://github.com'),
  LinuxDOClientId: line(),
  LinuxDOClientSecret: secret(),
  LinuxDOServerAddress: address('https://connect.linux.do'),
  TelegramBotToken: secret(),
  TelegramBotName: line(),
  WeChatServerAddress: address(),
  WeChatServerToken: secret(),
  WeChatAccountQRCodeImageURL: line(),
  TurnstileSiteKey: hiddenLine(),
  TurnstileSecretKey: secret(),

  // An amount that no account can be credited with would leave every sign-up half made.
  QuotaForNewUser: whole(0, { min: 0, max: QUOTA_MAX }),
  QuotaForInviter: whole(0, { min: 0, max: QUOTA_MAX }),
  QuotaForInvitee: whole(0, { min: 0, max: QUOTA_MAX }),
  QuotaRemindThreshold: whole(1000, { min: 0 }),
  /** Tokens of output assumed of a request without max_tokens. */
  PreConsumedQuota: whole(500, { min: 0, max: 10_000_000 }),

  ModelRequestRateLimitEnabled: flag(false),
  /** 0 = unlimited. */
  ModelRequestRateLimitCount: whole(0, { min: 0 }),
  /** 0 = no limit. */
  ModelRequestRateLimitDurationMinutes: whole(1, { min: 0 }),
  ModelRequestRateLimitSuccessCount: whole(1000, { min: 1 }),
  ModelRequestRateLimitGroup: json('{}', rateLimitTable),

  /** Console calls with one access token within 180 seconds; 0 = no limit. */
  AccessTokenRateLimit: whole(1200, { min: 0, max: 1_000_000 }),

  ModelRatio: modelTable(JSON.stringify(modelRatio), ratioTable),
  ModelPrice: modelTable(JSON.stringify(modelPrice), ratioTable),
  CacheRatio: modelTable(JSON.stringify(cacheRatio), ratioTable),
  // Without an entry 1.25, and 2 for writes that last an hour.
  CacheWriteRatio: modelTable('{}', ratioTable),
  CacheWrite1hRatio: modelTable('{}', ratioTable),
  // To the model ratio, but AudioCompletionRatio, which is to AudioRatio. A model without an entry is priced by the
  // rule for its name (audio), or as text of the same sort.
  AudioRatio: modelTable('{}', ratioTable),
  AudioCompletionRatio: modelTable('{}', ratioTable),
  CachedAudioRatio: modelTable('{}', ratioTable),
  CachedImageRatio: modelTable('{}', ratioTable),
  ImageOutRatio: modelTable('{}', ratioTable),
  PriceFactors: modelTable('{}', factorTable),
  /** US dollars per 1,000 calls of tools that providers run. */
  ToolPrices: ratios(JSON.stringify(TOOL_PRICES), toolTable),
  CompletionRatio: modelTable(JSON.stringify(completionRatio), ratioTable),
  GroupRatio: ratios(JSON.stringify(groupRatio), ratioTable),
  UserUsableGroups: json(JSON.stringify(userUsableGroups), textTable),
  TopUpLink: line(),
  /** Picture of whom to turn to, shown when a token cannot be made for want of balance (decision 34). */
  ContactImageURL: httpsAddress(),
  QuotaPerUnit: decimal(500_000, { above: 0, max: 1_000_000_000 }),
  RetryTimes: whole(0, { min: 0, max: 10 }),
  /** Minutes. */
  DataExportInterval: whole(5, { min: 1 }),
  DataExportDefaultTime: oneOf('hour', ['hour', 'day', 'week']),
  DefaultCollapseSidebar: flag(false),

  MjNotifyEnabled: flag(false),
  MjAccountFilterEnabled: flag(false),
  MjModeClearEnabled: flag(false),
  /** Images of drawings are listed with our address (GET /mj/image/{id}), which fetches them from upstream's. */
  MjForwardUrlEnabled: flag(true),
  MjActionCheckSuccessEnabled: flag(true),

  CheckSensitiveEnabled: flag(true),
  CheckSensitiveOnPromptEnabled: flag(true),
  StopOnSensitiveEnabled: flag(true),
  DemoSiteEnabled: flag(false),
  SelfUseModeEnabled: flag(false),
  SensitiveWords: lines('test_sensitive'),
  /** Chunks; 0 = the default of 64. */
  StreamCacheQueueLength: whole(0, { min: 0, max: 65_536 }),
  AutomaticDisableKeywords: lines(
    [
      'Your credit balance is too low',
      'This organization has been disabled.',
      'You exceeded your current quota',
      'Permission denied',
      'The security token included in the request is invalid',
      'Operation not allowed',
      'Your account is not authorized',
    ].join('\n'),
    { isLowerCase: true },
  ),

  'claude.model_headers_settings': json('{}', headerTable),
  'claude.default_max_tokens': withDefaultEntry(json('{"default":8192}', tokenLimitTable)),
  'claude.thinking_adapter_enabled': flag(true),
  'claude.thinking_adapter_budget_tokens_percentage': decimal(0.8, { min: 0.1, max: 1 }),
  'gemini.safety_settings': json(
    '{"HARM_CATEGORY_CIVIC_INTEGRITY":"BLOCK_NONE","default":"OFF"}',
    textTable,
  ),
  'gemini.version_settings': json('{"default":"v1beta","gemini-1.0-pro":"v1"}', textTable),
  'gemini.supported_imagine_models': json('[]', textList),
  'gemini.thinking_adapter_enabled': flag(false),
  'gemini.thinking_adapter_budget_tokens_percentage': decimal(0.6, { min: 0.1, max: 1 }),
  'global.pass_through_request_enabled': flag(false),
  'general_setting.docs_link': line(),
  'general_setting.ping_interval_enabled': flag(false),
  'general_setting.ping_interval_seconds': whole(60, { min: 1 }),

  /** Seconds until the head of upstream's answer; twice as long for models that reason first. */
  'relay_setting.first_byte_timeout_seconds': whole(120, { min: 1, max: 3600 }),
  /** A stream for which no more quota can be held goes on; the wallet pays its further cost. */
  'relay_setting.finish_overdrawn_streams': flag(false),
  /** A request whose client has left is read to its end and charged by upstream's own usage, not aborted. */
  'relay_setting.drain_cancelled_requests': flag(false),

  /** Addresses that people name (webhooks, discovery, pictures) may lie inside the operator's own network. */
  'fetch_setting.allow_private_addresses': flag(false),
  /** Channels may lead into the operator's own network, where models are run, too. */
  'fetch_setting.allow_private_channel_addresses': flag(true),

  'oidc.enabled': flag(false),
  'oidc.client_id': line(),
  'oidc.client_secret': secret(),
  'oidc.well_known': endpoint(),
  'oidc.authorization_endpoint': endpoint(),
  'oidc.token_endpoint': endpoint(),
  'oidc.user_info_endpoint': endpoint(),
} satisfies Readonly<Record<string, OptionRule>>

export type OptionKey = keyof typeof CATALOGUE

/** Every key of the catalogue, in the order options are listed. */
export const OPTION_KEYS = Object.keys(CATALOGUE) as readonly OptionKey[]

export const isOptionKey = (key: string): key is OptionKey => Object.hasOwn(CATALOGUE, key)

/**
 * The rule of a key, known or not. An unknown option, stored by another console, is kept as text, and as a secret when
 * its name ends like a secret's in any case (console-api 3.1, 3.2).
 */
export const ruleOf = (key: string): OptionRule => {
  if (isOptionKey(key)) return CATALOGUE[key]
  return SECRET_ENDING.test(key) ? UNKNOWN_SECRET : UNKNOWN
}

const SECRET_ENDING = /(?:token|secret|key)$/i
const UNKNOWN = text()
const UNKNOWN_SECRET = unknownSecret()

/** The text an option has before anybody set it. */
export const defaultText = (key: OptionKey): string => ruleOf(key).defaultText

/** Options whose change makes a new revision of the price book (decision 39). */
export const isPricingOption = (key: string): boolean => PRICING_OPTIONS.has(key)

const PRICING_OPTIONS: ReadonlySet<string> = new Set<OptionKey>([
  'ModelPrice',
  'ModelRatio',
  'CompletionRatio',
  'CacheRatio',
  'CacheWriteRatio',
  'CacheWrite1hRatio',
  'AudioRatio',
  'AudioCompletionRatio',
  'CachedAudioRatio',
  'CachedImageRatio',
  'ImageOutRatio',
  'PriceFactors',
  'ToolPrices',
  'GroupRatio',
  'QuotaPerUnit',
])
