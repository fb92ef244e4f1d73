import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OPTION_KEYS, ruleOf } from './catalogue.ts'
import type { SettingsCommand } from './decider.ts'
import { decideSettings, evolveSettings, settingsDecider } from './decider.ts'
import type { SettingsEvent } from './events.ts'
import type { SettingsState } from './state.ts'

const at = 1_700_000_000_000
const context = { at, nextRevision: 0 }
const change = (key: string, text: string): SettingsCommand => ({
  type: 'ChangeOption',
  key,
  text,
})

/** The state after changes that must all be accepted. */
function after(...changes: ReadonlyArray<readonly [key: string, text: string]>): SettingsState {
  return changes.reduce((state, [key, text]) => {
    const decision = decideSettings(state, change(key, text), context)
    if (decision.status === 'rejected') throw new Error(decision.rejection.message)
    return decision.events.reduce(evolveSettings, state)
  }, settingsDecider.initial)
}

function messageOf(state: SettingsState, key: string, text: string): string | null {
  const decision = decideSettings(state, change(key, text), context)
  return decision.status === 'rejected' ? decision.rejection.message : null
}

function eventsOf(state: SettingsState, command: SettingsCommand): readonly SettingsEvent[] {
  const decision = decideSettings(state, command, context)
  return decision.status === 'decided' ? decision.events : []
}

const NONE = settingsDecider.initial
const NOT_JSON = '不是合法的 JSON 字符串'

describe('changing an option', () => {
  test.each([
    ['', 'x', '设置项名称不能为空，不能含有控制字符，最多 200 个字符'],
    ['a\nb', 'x', '设置项名称不能为空，不能含有控制字符，最多 200 个字符'],
    ['x'.repeat(201), 'x', '设置项名称不能为空，不能含有控制字符，最多 200 个字符'],
    ['NoSuchOption', 'x'.repeat(100_001), 'NoSuchOption 内容过长，最多 100000 个字符'],
    ['RegisterEnabled', 'yes', 'RegisterEnabled 只能是 true 或 false'],
    ['RetryTimes', '11', 'RetryTimes 必须是 0 到 10 之间的整数'],
    ['RetryTimes', '-1', 'RetryTimes 必须是 0 到 10 之间的整数'],
    ['RetryTimes', '1.5', 'RetryTimes 必须是整数，请输入整数'],
    ['RetryTimes', '', 'RetryTimes 必须是整数，请输入整数'],
    ['QuotaForNewUser', '-1', 'QuotaForNewUser 必须是 0 到 1000000000000000 之间的整数'],
    ['QuotaForNewUser', '1e99', 'QuotaForNewUser 必须是整数，请输入整数'],
    ['QuotaPerUnit', '0', 'QuotaPerUnit 必须是大于 0 的数字'],
    ['Price', 'NaN', 'Price 必须是数字，请输入数字'],
    ['ChannelDisableThreshold', '-0.1', 'ChannelDisableThreshold 必须是不小于 0 的数字'],
    ['QuotaRemindThreshold', '-1', 'QuotaRemindThreshold 必须是不小于 0 的整数'],
    ['DataExportInterval', '0', 'DataExportInterval 必须是不小于 1 的整数'],
    ['DataExportDefaultTime', 'month', 'DataExportDefaultTime 只能是 hour、day、week'],
    ['ModelRequestRateLimitCount', '-1', 'ModelRequestRateLimitCount 必须是不小于 0 的整数'],
    [
      'ModelRequestRateLimitSuccessCount',
      '0',
      'ModelRequestRateLimitSuccessCount 必须是不小于 1 的整数',
    ],
    [
      'general_setting.ping_interval_seconds',
      '0',
      'general_setting.ping_interval_seconds 必须是不小于 1 的整数',
    ],
    [
      'claude.thinking_adapter_budget_tokens_percentage',
      '0.05',
      'claude.thinking_adapter_budget_tokens_percentage 必须是 0.1 到 1 之间的数字',
    ],
    [
      'gemini.thinking_adapter_budget_tokens_percentage',
      '1.1',
      'gemini.thinking_adapter_budget_tokens_percentage 必须是 0.1 到 1 之间的数字',
    ],
    ['ModelRatio', '{', NOT_JSON],
    ['ModelRatio', '', NOT_JSON],
    ['ModelRatio', '[]', 'ModelRatio 必须是 JSON 对象'],
    ['ModelRatio', 'null', 'ModelRatio 必须是 JSON 对象'],
    ['ModelRatio', '{"a":"1"}', '请输入数字：a'],
    ['ModelPrice', '{"a":-1}', 'ModelPrice 的值不能小于 0：a'],
    [
      'ModelPrice',
      '{"b":1,"a":0}',
      '价格不能为 0：a，请填写大于 0 的价格；如需免费，请删除其价格，并将其 ModelRatio 设为 0',
    ],
    ['CacheRatio', '{"a":1e400}', 'CacheRatio 的值过大：a'],
    ['ModelRatio', '{"b":0,"a":1e-400}', 'ModelRatio 的值过小，会被当作 0：a'],
    ['GroupRatio', '{"default":1, "a\\"b" : 0.2E-324}', 'GroupRatio 的值过小，会被当作 0：a"b'],
    ['GroupRatio', '{"default":1,"vip":-0.1}', 'group ratio must be not less than 0: vip'],
    ['GroupRatio', '{"vip\\n":1}', 'GroupRatio 中的名称不能包含换行、控制字符或不可见字符'],
    ['TopupGroupRatio', 'x', '充值分组倍率不是合法的 JSON 字符串'],
    ['UserUsableGroups', '{"a":1}', 'UserUsableGroups 的值必须是字符串：a'],
    [
      'ModelRequestRateLimitGroup',
      '{"vip":[0,0]}',
      'ModelRequestRateLimitGroup 格式不正确：vip 应为 [最多请求次数, 最多请求完成次数]，且分别不小于 0 和 1',
    ],
    [
      'ModelRequestRateLimitGroup',
      '{"vip":[1,2,3]}',
      'ModelRequestRateLimitGroup 格式不正确：vip 应为 [最多请求次数, 最多请求完成次数]，且分别不小于 0 和 1',
    ],
    [
      'ModelRequestRateLimitGroup',
      '{"vip":5}',
      'ModelRequestRateLimitGroup 格式不正确：vip 应为 [最多请求次数, 最多请求完成次数]，且分别不小于 0 和 1',
    ],
    ['Chats', '{}', 'Chats 格式不正确：应为 [{"名称": "链接"}]，每项只含一个名称'],
    ['Chats', '[{"a":"x","b":"y"}]', 'Chats 格式不正确：应为 [{"名称": "链接"}]，每项只含一个名称'],
    ['gemini.supported_imagine_models', '[1]', 'gemini.supported_imagine_models 必须是字符串列表'],
    ['gemini.safety_settings', '{"a":true}', 'gemini.safety_settings 的值必须是字符串：a'],
    [
      'claude.model_headers_settings',
      '{"m":{"h":"v"}}',
      'claude.model_headers_settings 的值必须是字符串列表：m.h',
    ],
    [
      'claude.default_max_tokens',
      '{"default":0}',
      'claude.default_max_tokens 的值必须是不小于 1 的整数：default',
    ],
    ['EmailDomainWhitelist', 'gmail', '邮箱域名格式不正确，请输入有效的域名，如 gmail.com'],
    ['EmailDomainWhitelist', 'a.com,A.com', '该域名已存在于白名单中'],
    ['ServerAddress', 'example.com', 'ServerAddress 不是有效的地址，请以 http:// 或 https:// 开头'],
    [
      'oidc.well_known',
      'ftp://idp',
      'oidc.well_known 不是有效的地址，请以 http:// 或 https:// 开头',
    ],
    ['Notice', 'x'.repeat(100_001), 'Notice 内容过长，最多 100000 个字符'],
    [
      'GitHubOAuthEnabled',
      'true',
      '无法启用 GitHub OAuth，请先填入 GitHub Client Id 以及 GitHub Client Secret！',
    ],
    [
      'oidc.enabled',
      'true',
      '无法启用 OIDC 登录，请先填入 OIDC Client Id 以及 OIDC Client Secret！',
    ],
    [
      'LinuxDOOAuthEnabled',
      'true',
      '无法启用 LinuxDO OAuth，请先填入 LinuxDO Client Id 以及 LinuxDO Client Secret！',
    ],
    ['WeChatAuthEnabled', 'true', '无法启用微信登录，请先填入微信登录相关配置信息！'],
    [
      'TurnstileCheckEnabled',
      'true',
      '无法启用 Turnstile 校验，请先填入 Turnstile 校验相关配置信息！',
    ],
    ['TelegramOAuthEnabled', 'true', '无法启用 Telegram OAuth，请先填入 Telegram Bot Token！'],
    ['PayAddress', 'https://pay.example', '请先填写服务器地址'],
    ['EpayKey', 'k', '请先填写服务器地址'],
  ])('given %s = %s, when changed, then it is refused with what to do', (key, text, message) => {
    expect(messageOf(NONE, key, text)).toBe(message)
  })

  test('given fixed prices of 0 that stand already, when another price is changed, then the table is taken', () => {
    const options = NONE.options.with('ModelPrice', '{"old":0,"x":1}')
    const state = { ...NONE, options }
    expect(messageOf(state, 'ModelPrice', '{"old":0,"x":2,"mj_inpaint":0}')).toBeNull()
    expect(messageOf(state, 'ModelPrice', '{"old":0,"x":0}')).toContain('价格不能为 0：x')
  })

  test('given unknown keys, when changed, then they are kept as typed, secrets without their text', () => {
    expect(eventsOf(NONE, change('theme.colour', ' blue '))).toEqual([
      {
        type: 'OptionChanged',
        data: { at, key: 'theme.colour', value: ' blue ', previous: null, note: null },
      },
    ])
    for (const key of [
      'OtherToken',
      'OtherSecret',
      'OtherKey',
      'other.client_secret',
      'my.Apikey',
      'MY_API_KEY',
    ]) {
      expect(eventsOf(NONE, change(key, 'hush'))).toEqual([
        { type: 'OptionChanged', data: { at, key, value: null, previous: null, note: null } },
      ])
      expect(eventsOf(NONE, change(key, ''))).toEqual([])
    }
    const state = after(['theme.colour', 'blue'])
    expect(eventsOf(state, change('theme.colour', 'blue'))).toEqual([])
    expect(eventsOf(state, change('theme.colour', ''))).toEqual([
      {
        type: 'OptionChanged',
        data: { at, key: 'theme.colour', value: '', previous: 'blue', note: null },
      },
    ])
  })

  test('given as many unknown keys as may be, when one more is set, then refused; the others still change', () => {
    const many = Array.from({ length: 500 }, (_, i) => [i % 2 ? `a${i}` : `a${i}Key`, 'x'] as const)
    const state = after(...many)
    expect(messageOf(state, 'one-more', 'x')).toBe('自定义设置项过多，最多 500 个')
    expect(messageOf(state, 'a1', 'y')).toBeNull()
    expect(messageOf(state, 'a2Key', 'y')).toBeNull()
    expect(messageOf(state, 'RetryTimes', '1')).toBeNull()
  })

  test.each([['TurnstileSiteKey'], ['TurnstileSecretKey']])(
    'given %s alone, when the human check is switched on, then it is refused',
    (key) => {
      expect(messageOf(after([key, 'k']), 'TurnstileCheckEnabled', 'true')).toBe(
        '无法启用 Turnstile 校验，请先填入 Turnstile 校验相关配置信息！',
      )
    },
  )

  test('given an empty whitelist, when the restriction is switched on, then it is refused', () => {
    const state = after(['EmailDomainWhitelist', ''])
    expect(messageOf(state, 'EmailDomainRestrictionEnabled', 'true')).toBe(
      '无法启用邮箱域名限制，请先填入限制的邮箱域名！',
    )
    expect(messageOf(NONE, 'EmailDomainRestrictionEnabled', 'true')).toBeNull()
  })

  test('given what a switch needs, when it is switched on, then it is', () => {
    const state = after(
      ['TelegramBotToken', 't'],
      ['TelegramOAuthEnabled', 'true'],
      ['TurnstileSiteKey', 'k'],
      ['TurnstileSecretKey', 's'],
      ['TurnstileCheckEnabled', 'true'],
      ['GitHubClientId', 'g'],
      ['GitHubClientSecret', 's'],
      ['GitHubOAuthEnabled', 'true'],
      ['ServerAddress', 'https://toll.example/'],
      ['PayAddress', 'https://pay.example//'],
    )
    expect(state.options.flag('TelegramOAuthEnabled')).toBe(true)
    expect(state.options.text('ServerAddress')).toBe('https://toll.example')
    expect(state.options.text('PayAddress')).toBe('https://pay.example')
  })

  test('given payment, when the server’s address is emptied, then it stays until payment is unset', () => {
    const server = ['ServerAddress', 'https://toll.example'] as const
    const paid = after(server, ['PayAddress', 'https://pay.example'], ['EpayId', '1'])
    expect(messageOf(paid, 'ServerAddress', ' ')).toBe(
      '在线支付需要服务器地址，请先清空支付设置：PayAddress、EpayId',
    )
    expect(messageOf(paid, 'ServerAddress', 'https://moved.example')).toBeNull()
    const back = after(server, ['CustomCallbackAddress', 'https://back.example'])
    expect(messageOf(back, 'ServerAddress', '')).not.toBeNull()
    // The key alone, which nobody can take back, pays nothing.
    expect(messageOf(after(server, ['EpayKey', 'k']), 'ServerAddress', '')).toBeNull()
  })

  test.each([
    ['RegisterEnabled', ' FALSE ', 'false'],
    ['RetryTimes', ' 3 ', '3'],
    ['Price', '07.50', '7.5'],
    ['AutomaticDisableKeywords', ' No Money \n\nGone', 'no money\ngone'],
    ['SensitiveWords', ' One \n\n two ', 'One\ntwo'],
    ['EmailDomainWhitelist', 'A.com, b.org,', 'a.com,b.org'],
    ['ModelRequestRateLimitGroup', '{"vip":[0,1]}', '{"vip":[0,1]}'],
    ['claude.default_max_tokens', '{"m":100}', '{"m":100,"default":8192}'],
    ['oidc.well_known', 'https://idp/x/', 'https://idp/x/'],
    ['Notice', '  as typed\n', '  as typed\n'],
  ])('given %s = %s, when changed, then it is stored normalised', (key, text, value) => {
    expect(eventsOf(NONE, change(key, text))).toEqual([
      { type: 'OptionChanged', data: { at, key, value, previous: null, note: null } },
    ])
  })

  test('given a value as it stands, when changed to it, then nothing happens', () => {
    expect(eventsOf(NONE, change('RetryTimes', '0'))).toEqual([])
    expect(eventsOf(NONE, change('ModelRequestRateLimitGroup', ' '))).toEqual([])
    const state = after(['RetryTimes', '3'])
    expect(eventsOf(state, change('RetryTimes', '3'))).toEqual([])
    expect(eventsOf(state, change('RetryTimes', '0'))).toEqual([
      {
        type: 'OptionChanged',
        data: { at, key: 'RetryTimes', value: '0', previous: '3', note: null },
      },
    ])
  })

  test('given a secret, when changed, then the event lacks it, and an empty one keeps what is stored', () => {
    expect(eventsOf(NONE, change('SMTPToken', 'hush'))).toEqual([
      {
        type: 'OptionChanged',
        data: { at, key: 'SMTPToken', value: null, previous: null, note: null },
      },
    ])
    expect(decideSettings(NONE, change('SMTPToken', '  '), context)).toEqual({
      status: 'decided',
      events: [],
    })
    expect(after(['SMTPToken', 'hush']).secrets.has('SMTPToken')).toBe(true)
  })
})

describe('clearing logs', () => {
  test('given a moment, when logs are cleared, then the event says before when', () => {
    expect(eventsOf(NONE, { type: 'ClearLogs', before: at - 5 })).toEqual([
      { type: 'LogsCleared', data: { at, before: at - 5 } },
    ])
  })

  test.each([0, -1, Number.NaN, 1.5])(
    'given %s as moment, when cleared, then it is refused',
    (before) => {
      expect(decideSettings(NONE, { type: 'ClearLogs', before }, context)).toEqual({
        status: 'rejected',
        rejection: { reason: 'moment-missing', message: '请选择日志记录时间' },
      })
    },
  )
})

test('given any commands, when their events are folded, then every option reads as last accepted', () => {
  const commands = fc.array(
    fc.tuple(
      fc.constantFrom(...OPTION_KEYS),
      fc.oneof(
        fc.constantFrom('true', 'false', '1', '0.5', '{}', '[]', 'https://a.b/'),
        fc.string(),
      ),
    ),
    { maxLength: 30 },
  )
  fc.assert(
    fc.property(commands, (changes) => {
      const log: SettingsEvent[] = []
      const accepted = new Map<string, string>()
      let state = NONE
      for (const [key, text] of changes) {
        const decision = decideSettings(state, change(key, text), context)
        if (decision.status === 'rejected') continue
        if (!ruleOf(key).isSecret) accepted.set(key, ruleOf(key).normalise(text))
        log.push(...decision.events)
        state = decision.events.reduce(evolveSettings, state)
      }
      const replayed = log.reduce(evolveSettings, NONE)
      expect([...replayed.options.entries()]).toEqual([...state.options.entries()])
      expect(replayed.secrets).toEqual(state.secrets)
      const entries = new Map(state.options.entries())
      for (const [key, text] of accepted) expect(entries.get(key)).toBe(text)
    }),
  )
})

describe('a price beyond what can be charged', () => {
  const beyond = (key: string, model: string): string =>
    `${key} 的值过大：${model} 的各项倍率、价格与分组倍率相乘后超过上限 9007199254740991，请调低`

  test('given ratios whose product passes 2^53, when the last is saved, then it is refused', () => {
    const dear = after(['ModelRatio', '{"m":1000000000}'], ['CompletionRatio', '{"m":9000000}'])
    expect(messageOf(dear, 'GroupRatio', '{"default":1,"vip":1}')).toBeNull()
    expect(messageOf(dear, 'GroupRatio', '{"default":1,"vip":1.1}')).toBe(beyond('GroupRatio', 'm'))
    expect(messageOf(dear, 'CompletionRatio', '{"m":9900000}')).toBe(beyond('CompletionRatio', 'm'))
  })

  test('given a price per call, when it passes 2^53 in quota, then it is refused', () => {
    expect(messageOf(NONE, 'ModelPrice', '{"m":10000000}')).toBeNull()
    expect(messageOf(after(['QuotaPerUnit', '1000000000']), 'ModelPrice', '{"m":10000000}')).toBe(
      beyond('ModelPrice', 'm'),
    )
  })

  test('given a price that is beyond already, when another is saved, then it can be', () => {
    const stored = { ModelPrice: '{"m":1000000000}', QuotaPerUnit: '1000000000' }
    const state = Object.entries(stored).reduce<SettingsState>(
      (before, [key, value]) =>
        evolveSettings(before, {
          type: 'OptionChanged',
          data: { at, key, value, previous: null, note: null },
        }),
      NONE,
    )
    expect(messageOf(state, 'CacheRatio', '{"m":1}')).toBeNull()
    expect(messageOf(state, 'ModelPrice', '{"m":900000000,"n":1}')).toBeNull()
    expect(messageOf(state, 'ModelPrice', '{"m":1,"n":900000000}')).toBe(beyond('ModelPrice', 'n'))
  })
})
