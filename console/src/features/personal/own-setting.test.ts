import { expect, test } from 'vitest'
import { isWebhookAddress, ownSetting } from './own-setting.ts'

test.each([
  ['', 100_000],
  ['not json', 100_000],
  ['{"notify_type":"email"}', 500_000],
  ['{"quota_warning_threshold":7}', 7],
  ['{"quota_warning_threshold":"7"}', 500_000],
])('given the setting %j, when the form opens, then the threshold is %d', (text, threshold) => {
  expect(ownSetting(text).threshold).toBe(threshold)
})

test('given a saved setting, when the form opens, then it holds it', () => {
  const text = JSON.stringify({
    notify_type: 'webhook',
    quota_warning_threshold: 1,
    webhook_url: 'https://hooks.example.com/a',
    accept_unset_model_ratio_model: true,
  })
  expect(ownSetting(text)).toEqual({
    type: 'webhook',
    threshold: 1,
    webhookUrl: 'https://hooks.example.com/a',
    email: '',
    acceptsUnpriced: true,
  })
})

test.each([
  ['https://hooks.example.com/a', true],
  ['http://hooks.example.com/a', false],
  ['https://', false],
  ['', false],
])('given the webhook %j, when checked, then %s', (text, isOne) => {
  expect(isWebhookAddress(text)).toBe(isOne)
})
