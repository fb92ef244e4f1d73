import { QUOTA_MAX } from '@tollgate/domain/account/limits.ts'

/**
 * The contract of every option, by hand: its default, texts that are taken (and how they are kept), and texts that are
 * refused with which message. Tests hold catalogue and API against it.
 */
export interface OptionCase {
  readonly key: string
  readonly defaultText: string
  /** As sent, and as listed afterwards. */
  readonly takes: readonly (readonly [sent: string, kept: string])[]
  readonly refuses: readonly (readonly [sent: string, message: string])[]
  /** `hidden` is not listed; a secret is not even in events. */
  readonly shown: 'listed' | 'hidden' | 'secret'
  /** Options that must be set before. */
  readonly needs?: readonly (readonly [key: string, text: string])[]
}

/** A field of a form holds no more. */
const TOO_LONG = 'x'.repeat(100_001)
const tooLong = (key: string) => `${key} 内容过长，最多 100000 个字符`

const flag = (
  key: string,
  defaultText: 'true' | 'false',
  needs?: OptionCase['needs'],
): OptionCase => ({
  key,
  defaultText,
  takes: [
    ['true', 'true'],
    [' FALSE ', 'false'],
  ],
  refuses: ['yes', '1', ''].map((text) => [text, `${key} 只能是 true 或 false`]),
  shown: 'listed',
  ...(needs && { needs }),
})

interface Range {
  readonly least?: number
  readonly above?: number
  readonly most?: number
}

const number = (
  key: string,
  defaultText: string,
  noun: '整数' | '数字',
  { least, above, most }: Range,
  inRange: readonly string[],
  outOfRange: readonly string[],
): OptionCase => {
  const bounds =
    least !== undefined && most !== undefined
      ? ` ${least} 到 ${most} 之间`
      : least !== undefined
        ? `不小于 ${least} `
        : `大于 ${above} `
  const notOne = `${key} 必须是${noun}，请输入${noun}`
  return {
    key,
    defaultText,
    takes: [
      ...inRange.map((text) => [text, text] as const),
      [` ${inRange[0]}.0 `, String(Number(inRange[0]))],
    ],
    refuses: [
      ...outOfRange.map((text) => [text, `${key} 必须是${bounds}的${noun}`] as const),
      ...['', 'many', '0x10', '1e999', ...(noun === '整数' ? ['1.5'] : [])].map(
        (text) => [text, notOne] as const,
      ),
    ],
    shown: 'listed',
  }
}
const whole = (key: string, defaultText: string, least: number, most?: number): OptionCase =>
  number(
    key,
    defaultText,
    '整数',
    { least, ...(most !== undefined && { most }) },
    [String(least), String(most ?? least + 7)],
    [String(least - 1), ...(most === undefined ? [] : [String(most + 1)])],
  )

const text = (key: string, defaultText = ''): OptionCase => ({
  key,
  defaultText,
  takes: [
    [' as typed\n', ' as typed\n'],
    ['', ''],
  ],
  refuses: [[TOO_LONG, tooLong(key)]],
  shown: 'listed',
})

const notOneLine = (key: string) =>
  ['a\r\nBcc: b@c.example', 'a\nb', 'a\rb', 'a\u001bb'].map(
    (sent) => [sent, `${key} 只能是一行文字，请去掉换行和其他控制字符`] as const,
  )
const line = (key: string, defaultText = ''): OptionCase => ({
  ...text(key, defaultText),
  takes: [
    [' as typed\n', 'as typed'],
    ['', ''],
  ],
  refuses: [[TOO_LONG, tooLong(key)], ...notOneLine(key)],
})

const address = (
  key: string,
  keeping: 'without slash' | 'as it is',
  needs?: OptionCase['needs'],
): OptionCase => ({
  key,
  defaultText: '',
  takes: [
    [
      ' https://a.example/x// ',
      keeping === 'as it is' ? 'https://a.example/x//' : 'https://a.example/x',
    ],
    ['http://a.example:8080', 'http://a.example:8080'],
    ['', ''],
  ],
  refuses: ['a.example', 'ftp://a.example', 'javascript:alert(1)', 'https://'].map((sent) => [
    sent,
    `${key} 不是有效的地址，请以 http:// 或 https:// 开头`,
  ]),
  shown: 'listed',
  ...(needs && { needs }),
})

const secret = (key: string, needs?: OptionCase['needs']): OptionCase => ({
  key,
  defaultText: '',
  takes: [[' hush ', 'hush']],
  refuses: [[TOO_LONG, tooLong(key)], ...notOneLine(key)],
  shown: 'secret',
  ...(needs && { needs }),
})

const NOT_JSON = '不是合法的 JSON 字符串'
const json = (
  key: string,
  defaultText: string,
  takes: OptionCase['takes'],
  refuses: OptionCase['refuses'],
  malformed = NOT_JSON,
): OptionCase => ({
  key,
  defaultText,
  takes,
  refuses: [['{', malformed], ...refuses],
  shown: 'listed',
})

/** `holds` is part of the default, which is a long table. */
const ratios = (
  key: string,
  holds: string,
  negative = `${key} 的值不能小于 0：a`,
  malformed = NOT_JSON,
): OptionCase =>
  json(
    key,
    holds,
    [
      ['{"a":0,"b":1.5}', '{"a":0,"b":1.5}'],
      ['{}', '{}'],
    ],
    [
      ['', malformed],
      ['[]', `${key} 必须是 JSON 对象`],
      ['{"a":"1"}', '请输入数字：a'],
      ['{"a":-1}', negative],
      ['{"a":1e10}', `${key} 的值过大：a`],
    ],
    malformed,
  )

const modelRatios = (key: string, holds: string): OptionCase => {
  const table = ratios(key, holds)
  const refuses = [
    ...table.refuses,
    ['{"a":1,"a":2}', '模型名称已存在：a'],
    [String.raw`{"a":1,"\u0061":2}`, '模型名称已存在：a'],
  ] as const
  return { ...table, refuses }
}

/** Empty by default, so that an emptied field means none. */
const extraRatios = (key: string): OptionCase => {
  const table = modelRatios(key, '{}')
  return {
    ...table,
    takes: [...table.takes, ['', '{}']],
    refuses: table.refuses.filter(([text]) => text !== ''),
  }
}

const lines = (key: string, defaultText: string, kept: string): OptionCase => ({
  key,
  defaultText,
  takes: [
    [' One \r\n\n two ', kept],
    ['', ''],
  ],
  refuses: [[TOO_LONG, tooLong(key)]],
  shown: 'listed',
})

const SERVER = [['ServerAddress', 'https://gate.example']] as const

export const OPTION_CASES: readonly OptionCase[] = [
  whole('FileUploadPermission', '0', 0),
  whole('FileDownloadPermission', '0', 0),
  whole('ImageUploadPermission', '0', 0),
  whole('ImageDownloadPermission', '0', 0),

  flag('PasswordLoginEnabled', 'true'),
  flag('PasswordRegisterEnabled', 'true'),
  flag('EmailVerificationEnabled', 'false'),
  flag('GitHubOAuthEnabled', 'false', [
    ['GitHubClientId', 'id'],
    ['GitHubClientSecret', 'secret'],
  ]),
  flag('LinuxDOOAuthEnabled', 'false', [['LinuxDOClientId', 'id']]),
  flag('TelegramOAuthEnabled', 'false', [['TelegramBotToken', 'token']]),
  flag('WeChatAuthEnabled', 'false', [['WeChatServerAddress', 'https://wx.example']]),
  flag('TurnstileCheckEnabled', 'false', [
    ['TurnstileSiteKey', 'key'],
    ['TurnstileSecretKey', 'secret'],
  ]),
  flag('RegisterEnabled', 'true'),
  flag('AutomaticDisableChannelEnabled', 'false'),
  flag('AutomaticEnableChannelEnabled', 'false'),
  flag('LogConsumeEnabled', 'true'),
  flag('DisplayInCurrencyEnabled', 'true'),
  flag('DisplayTokenStatEnabled', 'true'),
  flag('DrawingEnabled', 'true'),
  flag('TaskEnabled', 'true'),
  flag('DataExportEnabled', 'true'),
  number('ChannelDisableThreshold', '5', '数字', { least: 0 }, ['0', '2.5'], ['-0.1']),

  flag('EmailDomainRestrictionEnabled', 'false'),
  flag('EmailAliasRestrictionEnabled', 'false'),
  {
    key: 'EmailDomainWhitelist',
    defaultText:
      'gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com',
    takes: [
      ['A.com, b.org,', 'a.com,b.org'],
      ['', ''],
    ],
    refuses: [
      ...['gmail', 'a b.com', 'http://a.com', '-a.com', '@a.com'].map(
        (sent) => [sent, '邮箱域名格式不正确，请输入有效的域名，如 gmail.com'] as const,
      ),
      ['a.com,A.com', '该域名已存在于白名单中'],
    ],
    shown: 'listed',
  },
  line('SMTPServer'),
  line('SMTPFrom'),
  whole('SMTPPort', '587', 1, 65_535),
  line('SMTPAccount'),
  secret('SMTPToken'),
  flag('SMTPSSLEnabled', 'false'),

  text('Notice'),
  text('About'),
  text('HomePageContent'),
  text('Footer'),
  line('SystemName', 'Tollgate'),
  line('Logo'),
  address('ServerAddress', 'without slash'),
  address('WorkerUrl', 'without slash'),
  secret('WorkerValidKey'),
  flag('WorkerAllowHttpImageRequestEnabled', 'false'),

  address('PayAddress', 'without slash', SERVER),
  address('CustomCallbackAddress', 'without slash', SERVER),
  { ...line('EpayId'), needs: SERVER },
  secret('EpayKey', SERVER),
  number('Price', '7.3', '数字', { above: 0 }, ['1', '0.01'], ['0', '-1']),
  whole('MinTopUp', '1', 1),
  ratios('TopupGroupRatio', '"default":1', undefined, '充值分组倍率不是合法的 JSON 字符串'),
  json(
    'Chats',
    'https://app.nextchat.dev/',
    [['[{"a":"https://a.example/?key={key}"}]', '[{"a":"https://a.example/?key={key}"}]']],
    ['{}', '[{"a":"x","b":"y"}]', '[{"a":1}]', '["a"]'].map((sent) => [
      sent,
      'Chats 格式不正确：应为 [{"名称": "链接"}]，每项只含一个名称',
    ]),
  ),

  line('GitHubClientId'),
  secret('GitHubClientSecret'),
  line('LinuxDOClientId'),
  secret('LinuxDOClientSecret'),
  secret('TelegramBotToken'),
  line('TelegramBotName'),
  address('WeChatServerAddress', 'without slash'),
  { ...address('GitHubServerAddress', 'without slash'), defaultText: 'https://github.com' },
  { ...address('LinuxDOServerAddress', 'without slash'), defaultText: 'https://connect.linux.do' },
  secret('WeChatServerToken'),
  line('WeChatAccountQRCodeImageURL'),
  { ...line('TurnstileSiteKey'), takes: [[' 0x4AAA ', '0x4AAA']], shown: 'hidden' },
  secret('TurnstileSecretKey'),

  whole('QuotaForNewUser', '0', 0, QUOTA_MAX),
  whole('QuotaForInviter', '0', 0, QUOTA_MAX),
  whole('QuotaForInvitee', '0', 0, QUOTA_MAX),
  whole('QuotaRemindThreshold', '1000', 0),
  whole('PreConsumedQuota', '500', 0, 10_000_000),

  flag('ModelRequestRateLimitEnabled', 'false'),
  whole('ModelRequestRateLimitCount', '0', 0),
  whole('ModelRequestRateLimitDurationMinutes', '1', 0),
  whole('ModelRequestRateLimitSuccessCount', '1000', 1),
  json(
    'ModelRequestRateLimitGroup',
    '{}',
    [
      ['{"vip":[0,1],"default":[200,100]}', '{"vip":[0,1],"default":[200,100]}'],
      ['', '{}'],
    ],
    [
      ['[]', 'ModelRequestRateLimitGroup 必须是 JSON 对象'],
      ...['[-1,1]', '[0,0]', '[1,2,3]', '[1.5,1]', '5', '["1","2"]'].map(
        (pair) =>
          [
            `{"vip":${pair}}`,
            'ModelRequestRateLimitGroup 格式不正确：vip 应为 [最多请求次数, 最多请求完成次数]，且分别不小于 0 和 1',
          ] as const,
      ),
    ],
  ),

  modelRatios('ModelRatio', '"gpt-4o":1.25'),
  {
    ...modelRatios('ModelPrice', '"dall-e-3":'),
    takes: [
      ['{"a":1.5}', '{"a":1.5}'],
      ['{"mj_inpaint":0}', '{"mj_inpaint":0}'],
      ['{}', '{}'],
    ],
  },
  modelRatios('CacheRatio', '"gpt-4o":0.5'),
  extraRatios('CacheWriteRatio'),
  extraRatios('CacheWrite1hRatio'),
  extraRatios('AudioRatio'),
  extraRatios('AudioCompletionRatio'),
  extraRatios('CachedAudioRatio'),
  extraRatios('CachedImageRatio'),
  extraRatios('ImageOutRatio'),
  json(
    'PriceFactors',
    '{}',
    [
      [
        '{"a":{"priority":2,"flex":0.5,"fast":6,"geo":1.1,"above":{"tokens":200000,"in":2,"out":1.5}}}',
        '{"a":{"priority":2,"flex":0.5,"fast":6,"geo":1.1,"above":{"tokens":200000,"in":2,"out":1.5}}}',
      ],
      ['{"a":{}}', '{"a":{}}'],
    ],
    [
      ['[]', 'PriceFactors 必须是 JSON 对象'],
      ['{"a":2}', 'PriceFactors.a 必须是 JSON 对象'],
      ['{"a":{"turbo":2}}', 'PriceFactors 中有未知的名称：a.turbo'],
      ['{"a":{"flex":0}}', 'PriceFactors 的值必须大于 0 且不超过 1000：a.flex'],
      ['{"a":{"geo":1001}}', 'PriceFactors 的值必须大于 0 且不超过 1000：a.geo'],
      ['{"a":{"fast":"6"}}', 'PriceFactors 的值必须大于 0 且不超过 1000：a.fast'],
      [
        '{"a":{"above":{"tokens":5,"in":2}}}',
        'PriceFactors 格式不正确：a.above 应为 {"tokens":…,"in":…,"out":…}',
      ],
      [
        '{"a":{"above":{"tokens":0,"in":2,"out":1}}}',
        'PriceFactors 的值必须是不小于 1 的整数：a.above.tokens',
      ],
      [
        '{"a":{"above":{"tokens":5,"in":2,"out":-1}}}',
        'PriceFactors 的值必须大于 0 且不超过 1000：a.above.out',
      ],
    ],
  ),
  json(
    'ToolPrices',
    '"web_search_claude":10,"web_search_gemini":35,"web_search_gemini_3":14,"web_search_grok":5,"file_search":2.5}',
    [
      ['{"web_search_low":12.5,"file_search":0}', '{"web_search_low":12.5,"file_search":0}'],
      ['{}', '{}'],
    ],
    [
      ['[]', 'ToolPrices 必须是 JSON 对象'],
      ['{"browser":2}', 'ToolPrices 中有未知的名称：browser'],
      ['{"toString":2}', 'ToolPrices 中有未知的名称：toString'],
      ['{"file_search":"2"}', '请输入数字：file_search'],
      ['{"file_search":-1}', 'ToolPrices 的值不能小于 0：file_search'],
      ['{"file_search":1000000001}', 'ToolPrices 的值过大：file_search'],
    ],
  ),
  modelRatios('CompletionRatio', '"gpt-4o-gizmo-*":3'),
  ratios('GroupRatio', '"svip":1', 'group ratio must be not less than 0: a'),
  json(
    'UserUsableGroups',
    '"default":',
    [['{"vip":"贵宾"}', '{"vip":"贵宾"}']],
    [
      ['[]', 'UserUsableGroups 必须是 JSON 对象'],
      ['{"a":1}', 'UserUsableGroups 的值必须是字符串：a'],
    ],
  ),
  line('TopUpLink'),
  {
    key: 'ContactImageURL',
    defaultText: '',
    takes: [
      [' https://a.example/qr.png ', 'https://a.example/qr.png'],
      ['', ''],
    ],
    refuses: ['http://a.example/qr.png', 'data:image/png;base64,AA', 'qr.png'].map((sent) => [
      sent,
      'ContactImageURL 不是有效的地址，请以 https:// 开头',
    ]),
    shown: 'listed',
  },
  {
    ...number('QuotaPerUnit', '500000', '数字', { above: 0 }, ['1', '1000000'], ['0', '-5']),
    takes: [
      ['500000.000000', '500000'],
      ['1000000', '1000000'],
    ],
  },
  whole('AccessTokenRateLimit', '1200', 0, 1_000_000),
  whole('RetryTimes', '0', 0, 10),
  whole('DataExportInterval', '5', 1),
  {
    key: 'DataExportDefaultTime',
    defaultText: 'hour',
    takes: ['day', 'week', 'hour'].map((kept) => [kept, kept]),
    refuses: ['month', 'Hour', ''].map((sent) => [
      sent,
      'DataExportDefaultTime 只能是 hour、day、week',
    ]),
    shown: 'listed',
  },
  flag('DefaultCollapseSidebar', 'false'),

  flag('MjNotifyEnabled', 'false'),
  flag('MjAccountFilterEnabled', 'false'),
  flag('MjModeClearEnabled', 'false'),
  flag('MjForwardUrlEnabled', 'true'),
  flag('MjActionCheckSuccessEnabled', 'true'),

  flag('CheckSensitiveEnabled', 'true'),
  flag('CheckSensitiveOnPromptEnabled', 'true'),
  flag('StopOnSensitiveEnabled', 'true'),
  flag('DemoSiteEnabled', 'false'),
  flag('SelfUseModeEnabled', 'false'),
  lines('SensitiveWords', 'test_sensitive', 'One\ntwo'),
  whole('StreamCacheQueueLength', '0', 0, 65_536),
  lines(
    'AutomaticDisableKeywords',
    [
      'Your credit balance is too low',
      'This organization has been disabled.',
      'You exceeded your current quota',
      'Permission denied',
      'The security token included in the request is invalid',
      'Operation not allowed',
      'Your account is not authorized',
    ].join('\n'),
    'one\ntwo',
  ),

  json(
    'claude.model_headers_settings',
    '{}',
    [['{"m":{"h":["v"]}}', '{"m":{"h":["v"]}}']],
    [
      ['{"m":{"h":"v"}}', 'claude.model_headers_settings 的值必须是字符串列表：m.h'],
      ['{"m":1}', 'claude.model_headers_settings.m 必须是 JSON 对象'],
    ],
  ),
  json(
    'claude.default_max_tokens',
    '{"default":8192}',
    [['{"m":4096}', '{"m":4096,"default":8192}']],
    [
      ['{"default":0}', 'claude.default_max_tokens 的值必须是不小于 1 的整数：default'],
      ['{"m":1.5}', 'claude.default_max_tokens 的值必须是不小于 1 的整数：m'],
    ],
  ),
  flag('claude.thinking_adapter_enabled', 'true'),
  number(
    'claude.thinking_adapter_budget_tokens_percentage',
    '0.8',
    '数字',
    { least: 0.1, most: 1 },
    ['1', '0.1'],
    ['0.09', '1.01'],
  ),
  json(
    'gemini.safety_settings',
    '"HARM_CATEGORY_CIVIC_INTEGRITY":"BLOCK_NONE"',
    [['{"default":"OFF"}', '{"default":"OFF"}']],
    [['{"a":true}', 'gemini.safety_settings 的值必须是字符串：a']],
  ),
  json(
    'gemini.version_settings',
    '"gemini-1.0-pro":"v1"',
    [['{"default":"v1"}', '{"default":"v1"}']],
    [['{"a":1}', 'gemini.version_settings 的值必须是字符串：a']],
  ),
  json(
    'gemini.supported_imagine_models',
    '[]',
    [['["a","b"]', '["a","b"]']],
    ['[1]', '{}', '"a"'].map((sent) => [sent, 'gemini.supported_imagine_models 必须是字符串列表']),
  ),
  flag('gemini.thinking_adapter_enabled', 'false'),
  number(
    'gemini.thinking_adapter_budget_tokens_percentage',
    '0.6',
    '数字',
    { least: 0.1, most: 1 },
    ['1', '0.1'],
    ['0', '2'],
  ),
  flag('global.pass_through_request_enabled', 'false'),
  line('general_setting.docs_link'),
  flag('general_setting.ping_interval_enabled', 'false'),
  whole('general_setting.ping_interval_seconds', '60', 1),

  flag('oidc.enabled', 'false', [['oidc.client_id', 'id']]),
  line('oidc.client_id'),
  secret('oidc.client_secret'),
  address('oidc.well_known', 'as it is'),
  address('oidc.authorization_endpoint', 'as it is'),
  address('oidc.token_endpoint', 'as it is'),
  address('oidc.user_info_endpoint', 'as it is'),
]

/** Prefixes of keys that Tollgate has beside the contract. */
export const OWN_PREFIXES = ['relay_setting.', 'fetch_setting.'] as const
