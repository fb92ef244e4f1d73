import { describe, expect, test } from 'vitest'
import { defaultText, isOptionKey, isPricingOption, OPTION_KEYS, ruleOf } from './catalogue.ts'
import { optionsFrom } from './options.ts'

/**
 * ContactImageURL, AccessTokenRateLimit, PriceFactors, ToolPrices, seven tables of ratios of audio, images and cache
 * writes, two addresses of providers, `relay_setting`, `fetch_setting`: not in the contract.
 */
const OWN_KEYS = 18

describe('the catalogue', () => {
  test('given every option, when its default is normalised and checked, then nothing is wrong with it', () => {
    const problems = OPTION_KEYS.flatMap((key) => {
      const { defaultText, normalise, check } = ruleOf(key)
      return check(normalise(defaultText), key) ?? []
    })
    expect(problems).toEqual([])
  })

  test('given an address of which most is slashes, when normalised, then it takes no time', () => {
    const startedMs = performance.now()
    const text = `https://x/${'/'.repeat(100_000)}x`
    expect(ruleOf('ServerAddress').normalise(text)).toBe(text)
    expect(performance.now() - startedMs).toBeLessThan(2_000)
  })

  test('given the contract, when counted, then all its keys are there with their defaults', () => {
    expect(OPTION_KEYS).toHaveLength(115 + OWN_KEYS)
    expect(defaultText('SystemName')).toBe('Tollgate')
    expect(defaultText('general_setting.docs_link')).toBe('')
    expect(defaultText('Price')).toBe('7.3')
    expect(defaultText('GroupRatio')).toBe('{"default":1,"svip":1,"vip":1}')
    expect(defaultText('CompletionRatio')).toContain('"gpt-4o-gizmo-*":3')
  })

  test('given the contract, when listed, then exactly the hidden keys and the OIDC secret stay out', () => {
    const hidden = OPTION_KEYS.filter((key) => ruleOf(key).isHidden)
    expect(hidden.toSorted()).toEqual([
      'EpayKey',
      'GitHubClientSecret',
      'LinuxDOClientSecret',
      'SMTPToken',
      'TelegramBotToken',
      'TurnstileSecretKey',
      'TurnstileSiteKey',
      'WeChatServerToken',
      'WorkerValidKey',
      'oidc.client_secret',
    ])
    expect(hidden.filter((key) => !ruleOf(key).isSecret)).toEqual(['TurnstileSiteKey'])
  })

  test('given names that are no options, when asked, then they are none', () => {
    expect(['toString', '__proto__', 'modelratio', ''].filter(isOptionKey)).toEqual([])
    expect(isPricingOption('GroupRatio')).toBe(true)
    expect(isPricingOption('Notice')).toBe(false)
  })
})

describe('a view of options', () => {
  const options = optionsFrom([
    ['RetryTimes', '3'],
    ['Price', 'cheap'],
    ['GroupRatio', '{"default":1,"vip":0.5,"odd":[1]}'],
    ['Chats', 'not json'],
    ['AutomaticDisableKeywords', ' one \r\n\n two'],
    ['EmailDomainWhitelist', 'a.com, b.com,'],
    ['SelfUseModeEnabled', 'true'],
    ['FromALaterVersion', 'kept'],
  ])

  test('given stored texts, when read, then they come typed', () => {
    expect(options.number('RetryTimes')).toBe(3)
    expect(options.flag('SelfUseModeEnabled')).toBe(true)
    expect(options.lines('AutomaticDisableKeywords')).toEqual(['one', 'two'])
    expect(options.lines('EmailDomainWhitelist')).toEqual(['a.com', 'b.com'])
    expect(options.json('GroupRatio')).toEqual({ default: 1, vip: 0.5, odd: [1] })
    expect([...options.table('GroupRatio')]).toEqual([
      ['default', 1],
      ['vip', 0.5],
    ])
  })

  test('given nothing stored or a text that does not fit, when read, then the default is in force', () => {
    expect(options.text('SystemName')).toBe('Tollgate')
    expect(options.number('Price')).toBe(7.3)
    expect(options.json('Chats')).toHaveLength(5)
  })

  test('given a key that is not known, when listed or asked for, then it is kept', () => {
    expect(options.stored('FromALaterVersion')).toBe('kept')
    expect(options.stored('SystemName')).toBeNull()
    const entries = new Map(options.entries())
    expect(entries.size).toBe(116 + OWN_KEYS)
    expect(entries.get('FromALaterVersion')).toBe('kept')
    expect(entries.get('RetryTimes')).toBe('3')
  })

  test('given a view, when one option is changed, then there is a new view and the old one stays', () => {
    const changed = options.with('GroupRatio', '{"a":2}').with('RetryTimes', null)
    expect([...changed.table('GroupRatio')]).toEqual([['a', 2]])
    expect(changed.number('RetryTimes')).toBe(0)
    expect(options.number('RetryTimes')).toBe(3)
    expect(options.table('GroupRatio').get('vip')).toBe(0.5)
  })
})
