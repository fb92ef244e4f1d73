import { expect, test } from 'vitest'
import { userSetting } from './user-setting.ts'

const DEFAULTS = {
  notifyType: 'email',
  quotaWarningThreshold: null,
  webhookUrl: '',
  notificationEmail: '',
  acceptsUnpricedModels: false,
  language: 'zh',
}

test.each([
  '',
  '{}',
  'null',
  '[1]',
  '"text"',
  '{"notify',
  '{"notify_type":"pigeon","quota_warning_threshold":"9","webhook_url":3,"language":"fr"}',
])('given the stored text %j, when read, then the defaults stand', (stored) => {
  expect(userSetting(stored)).toEqual(DEFAULTS)
})

test('given one value that does not fit, when read, then the others are kept', () => {
  const stored = JSON.stringify({
    notify_type: 'webhook',
    webhook_url: 'https://example.com/hook',
    quota_warning_threshold: 100_000,
    accept_unset_model_ratio_model: 'yes',
    language: 'en',
  })
  expect(userSetting(stored)).toEqual({
    ...DEFAULTS,
    notifyType: 'webhook',
    webhookUrl: 'https://example.com/hook',
    quotaWarningThreshold: 100_000,
    language: 'en',
  })
})
