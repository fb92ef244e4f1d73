import { describe, expect, test } from 'vitest'
import { defaultText } from '../settings/catalogue.ts'
import type { ChannelFailure } from './ban.ts'
import { isBanWorthy } from './ban.ts'

const FAILURE: ChannelFailure = { channelType: 1, status: 500, code: '', type: '', message: '' }
const keywords = defaultText('AutomaticDisableKeywords').split('\n')

describe('whether a failure bans its channel', () => {
  test.each<Partial<ChannelFailure>>([
    { status: 401 },
    { status: 403, channelType: 24 },
    { code: 'invalid_api_key' },
    { code: 'account_deactivated' },
    { code: 'billing_not_active' },
    { type: 'insufficient_quota' },
    { type: 'insufficient_user_quota' },
    { type: 'authentication_error' },
    { type: 'permission_error' },
    { type: 'forbidden', status: null },
    { message: 'Sorry: YOU EXCEEDED your current quota, please' },
  ])('given %o, when asked, then it does', (some) => {
    expect(isBanWorthy({ ...FAILURE, ...some }, keywords)).toBe(true)
  })

  test.each<Partial<ChannelFailure>>([
    {},
    { status: 403 },
    { status: 429, type: 'rate_limit_error' },
    { status: null },
    { message: 'exceeded' },
  ])('given %o, when asked, then it does not', (some) => {
    expect(isBanWorthy({ ...FAILURE, ...some }, keywords)).toBe(false)
  })

  test('given no keywords or an empty one, when asked of any message, then it does not', () => {
    expect(isBanWorthy({ ...FAILURE, message: 'Permission denied' }, [])).toBe(false)
    expect(isBanWorthy({ ...FAILURE, message: 'anything' }, [''])).toBe(false)
  })
})
