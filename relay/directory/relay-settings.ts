import { priceBookFrom } from '@tollgate/domain/pricing/price-book.ts'
import type { OptionsView } from '@tollgate/domain/settings/options.ts'
import { isObject } from '../json.ts'
import { sensitiveWords } from '../sensitive-words/sensitive-words.ts'
import type { ClaudeSettings, GeminiSettings, RateLimitSettings, RelaySettings } from './facts.ts'

const DEFAULT_QUEUE_CHUNKS = 64

/** Reads the relay's options once; `bookRevision` as in priceBookFrom. */
export function relaySettings(options: OptionsView, bookRevision: number): RelaySettings {
  const checksWords =
    options.flag('CheckSensitiveEnabled') && options.flag('CheckSensitiveOnPromptEnabled')
  const pingSeconds = options.number('general_setting.ping_interval_seconds')
  return {
    retryTimes: options.number('RetryTimes'),
    passesThrough: options.flag('global.pass_through_request_enabled'),
    sensitiveWords: sensitiveWords(checksWords ? options.lines('SensitiveWords') : []),
    rateLimit: rateLimitOf(options),
    usableGroups: new Set(options.table('UserUsableGroups').keys()),
    streamQueueChunks: options.number('StreamCacheQueueLength') || DEFAULT_QUEUE_CHUNKS,
    pingEveryMs: options.flag('general_setting.ping_interval_enabled') ? pingSeconds * 1_000 : null,
    firstByteMs: options.number('relay_setting.first_byte_timeout_seconds') * 1_000,
    finishesOverdrawn: options.flag('relay_setting.finish_overdrawn_streams'),
    drainsCancelled: options.flag('relay_setting.drain_cancelled_requests'),
    claude: claudeOf(options),
    gemini: geminiOf(options),
    billing: {
      isOfToken: options.flag('DisplayTokenStatEnabled'),
      inCurrency: options.flag('DisplayInCurrencyEnabled'),
      quotaPerUnit: options.number('QuotaPerUnit'),
    },
    priceBook: priceBookFrom(options, bookRevision),
  }
}

export function claudeOf(options: OptionsView): ClaudeSettings {
  const limits = options.json('claude.default_max_tokens')
  const adapts = options.flag('claude.thinking_adapter_enabled')
  const share = options.number('claude.thinking_adapter_budget_tokens_percentage')
  return {
    defaultMaxTokens: new Map(
      Object.entries(isObject(limits) ? limits : {}).filter(
        (entry): entry is [string, number] => typeof entry[1] === 'number',
      ),
    ),
    thinkingShare: adapts ? share : null,
    modelHeaders: headersOf(options.json('claude.model_headers_settings')),
  }
}

export function geminiOf(options: OptionsView): GeminiSettings {
  const models = options.json('gemini.supported_imagine_models')
  const adapts = options.flag('gemini.thinking_adapter_enabled')
  const share = options.number('gemini.thinking_adapter_budget_tokens_percentage')
  return {
    safety: textsOf(options.json('gemini.safety_settings')),
    versions: textsOf(options.json('gemini.version_settings')),
    imageModels: new Set(Array.isArray(models) ? models.map(String) : []),
    thinkingShare: adapts ? share : null,
  }
}

const textsOf = (table: unknown): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(isObject(table) ? table : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  )

/** Headers by model from `{model: {header: [values]}}`. */
function headersOf(table: unknown): ClaudeSettings['modelHeaders'] {
  return new Map(
    Object.entries(isObject(table) ? table : {}).map(([model, headers]) => [
      model,
      Object.fromEntries(
        Object.entries(isObject(headers) ? headers : {}).map(([name, values]) => [
          name.toLowerCase(),
          Array.isArray(values) ? values.join(',') : '',
        ]),
      ),
    ]),
  )
}

function rateLimitOf(options: OptionsView): RateLimitSettings | null {
  const windowMinutes = options.number('ModelRequestRateLimitDurationMinutes')
  if (!options.flag('ModelRequestRateLimitEnabled') || windowMinutes === 0) return null
  return {
    windowMinutes,
    windowMs: windowMinutes * 60_000,
    total: options.number('ModelRequestRateLimitCount'),
    successes: options.number('ModelRequestRateLimitSuccessCount'),
    groups: groupsOf(options.json('ModelRequestRateLimitGroup')),
  }
}

function groupsOf(table: unknown): ReadonlyMap<string, readonly [number, number]> {
  const groups = new Map<string, readonly [number, number]>()
  if (!isObject(table)) return groups
  for (const [group, pair] of Object.entries(table)) {
    const [total, successes] = Array.isArray(pair) ? pair : []
    if (typeof total === 'number' && typeof successes === 'number') {
      groups.set(group, [total, successes])
    }
  }
  return groups
}
