import { expect, test } from 'vitest'
import { changesOf, isChanged, isSameText, optionProblem, storedText } from './option-form.ts'
import type { OptionKey } from './options.ts'
import { OPTIONS, SECTIONS, specOf, textName } from './options.ts'

const stored = new Map([
  ['RetryTimes', '2'],
  ['GroupRatio', '{"default":1}'],
  ['GitHubClientId', ''],
  ['GitHubOAuthEnabled', 'false'],
])

test('given nothing typed, or the same in other words, when compared, then nothing is saved', () => {
  expect(changesOf(['RetryTimes'], {}, stored)).toEqual([])
  const drafts = { RetryTimes: ' 2 ', GroupRatio: '{\n "default": 1.0\n}', GitHubClientSecret: '' }
  expect(changesOf(Object.keys(drafts) as OptionKey[], drafts, stored)).toEqual([])
})

test('given changes, when compared, then they alone are saved, and what a switch needs goes before it', () => {
  const drafts = {
    GitHubOAuthEnabled: 'true',
    GitHubClientId: ' id ',
    GitHubClientSecret: 'hush',
    RetryTimes: '3',
  }
  expect(changesOf(SECTIONS.github.keys, drafts, stored)).toEqual([
    { key: 'GitHubClientId', value: 'id' },
    { key: 'GitHubClientSecret', value: 'hush' },
    { key: 'GitHubOAuthEnabled', value: 'true' },
  ])
})

test('given a demo site to be made among other changes, when compared, then it comes last', () => {
  const drafts = { DemoSiteEnabled: 'true', SelfUseModeEnabled: 'true', RetryTimes: '3' }
  expect(changesOf(SECTIONS.general.keys, drafts, stored).map(({ key }) => key)).toEqual([
    'RetryTimes',
    'SelfUseModeEnabled',
    'DemoSiteEnabled',
  ])
})

test.each<[OptionKey, string, string | null]>([
  ['RetryTimes', '2', null],
  ['RetryTimes', '', 'number'],
  ['RetryTimes', 'two', 'number'],
  ['RetryTimes', '1.5', 'whole'],
  ['RetryTimes', '11', 'range'],
  ['RetryTimes', '-1', 'range'],
  ['DataExportInterval', '0', 'least'],
  ['ChannelDisableThreshold', '-0.1', 'least'],
  ['QuotaRemindThreshold', '-1', 'least'],
  ['ModelRequestRateLimitSuccessCount', '0', 'least'],
  ['ModelRequestRateLimitDurationMinutes', '0', null],
  ['general_setting.ping_interval_seconds', '0', 'least'],
  ['claude.thinking_adapter_budget_tokens_percentage', '0.05', 'range'],
  ['gemini.thinking_adapter_budget_tokens_percentage', '1', null],
  ['Price', '0', 'above'],
  ['ServerAddress', 'example.com', 'address'],
  ['ServerAddress', 'https://example.com', null],
  ['ServerAddress', '', null],
  ['oidc.well_known', 'ftp://x', 'address'],
  ['EmailDomainWhitelist', 'gmail.com, qq', 'domain'],
  ['EmailDomainWhitelist', 'gmail.com,GMAIL.com', 'domainTwice'],
  ['EmailDomainWhitelist', 'gmail.com,qq.com', null],
  ['TopupGroupRatio', '{', 'json'],
  ['TopUpLink', 'anything', null],
])('given %s as %j, when checked, then %s', (key, text, problem) => {
  expect(optionProblem(specOf(key), text)?.type ?? null).toBe(problem)
})

test('given the sections, when listed, then every option is in one of them', () => {
  const keys = Object.values(SECTIONS).flatMap((section): readonly string[] => section.keys)
  expect(keys.toSorted()).toEqual(Object.keys(OPTIONS).toSorted())
})

test('given stored texts, when compared with the defaults, then only real differences count', () => {
  expect(isChanged('RetryTimes', '2')).toBe(true)
  expect(isChanged('RetryTimes', '0')).toBe(false)
  expect(isChanged('ModelRequestRateLimitGroup', ' { } ')).toBe(false)
  expect(isChanged('SMTPToken', '')).toBe(false)
  expect(isChanged('ModelRatio', '{}')).toBe(false)
  expect(isSameText(specOf('Price'), '7.30', '7.3')).toBe(true)
  expect(isSameText(specOf('Price'), '', '0')).toBe(false)
  expect(storedText('SMTPToken', new Map([['SMTPToken', 'never listed']]))).toBe('')
  expect(textName('claude.default_max_tokens')).toBe('claude_default_max_tokens')
})
