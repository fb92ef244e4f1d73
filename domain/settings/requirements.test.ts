import { expect, test } from 'vitest'
import type { OptionKey } from './catalogue.ts'
import { optionsFrom } from './options.ts'
import { unmetRequirement } from './requirements.ts'
import { NO_SETTINGS, type SettingsState } from './state.ts'

/** Settings with these texts; of secrets only that they are there. */
const settings = (
  texts: Partial<Record<OptionKey, string>>,
  secrets: readonly OptionKey[] = [],
): SettingsState => ({
  ...NO_SETTINGS,
  options: optionsFrom(Object.entries(texts)),
  secrets: new Set(secrets),
})

test.each<[OptionKey, string, SettingsState, boolean]>([
  ['GitHubOAuthEnabled', 'true', settings({ GitHubClientId: 'g' }), false],
  ['GitHubOAuthEnabled', 'true', settings({ GitHubClientId: 'g' }, ['GitHubClientSecret']), true],
  ['GitHubOAuthEnabled', 'false', settings({}), true],
  ['TelegramOAuthEnabled', 'true', settings({}), false],
  ['TelegramOAuthEnabled', 'true', settings({}, ['TelegramBotToken']), true],
  ['PayAddress', 'https://pay.example', settings({}), false],
  ['PayAddress', '', settings({}), true],
  ['PayAddress', 'https://pay.example', settings({ ServerAddress: 'https://a.example' }), true],
  ['SystemName', 'anything', settings({}), true],
  ['ServerAddress', '', settings({ PayAddress: 'https://pay.example' }), false],
  ['ServerAddress', 'https://b.example', settings({ PayAddress: 'https://pay.example' }), true],
  ['ServerAddress', '', settings({}), true],
  ['ServerAddress', '', settings({}, ['EpayKey']), true],
])(
  'given what %s needs for %j, when it is missing, then a message says so, else none',
  (...row) => {
    const [key, text, state, isMet] = row
    const message = unmetRequirement(state, key, text)
    if (isMet) expect(message).toBeNull()
    else expect(message).toMatch(/^(无法启用|请先填写|在线支付需要)/u)
  },
)
