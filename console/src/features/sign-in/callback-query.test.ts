import { expect, test } from 'vitest'
import { callbackPath, isCallbackProvider } from './callback-query.ts'

test.each([
  ['github', '?code=123e4567&state=k3Jb', '/api/oauth/github?code=123e4567&state=k3Jb'],
  [
    'oidc',
    '?code=a%2Bb&state=s&iss=https%3A%2F%2Fid.example.com&session_state=1',
    '/api/oauth/oidc?code=a%2Bb&state=s',
  ],
  [
    'linuxdo',
    '?error=access_denied&error_description=No&state=s',
    '/api/oauth/linuxdo?state=s&error=access_denied&error_description=No',
  ],
  [
    'telegram',
    '?id=42&first_name=%22Te%22&auth_date=1&hash=ab',
    '/api/oauth/telegram/login?id=42&first_name=%22Te%22&auth_date=1&hash=ab',
  ],
] as const)('given %s coming back with %s, when finished, then by %s', (provider, search, path) => {
  expect(callbackPath(provider, search)).toBe(path)
})

test('given other names, when asked for, then they have no callback page', () => {
  expect(['github', 'wechat', 'constructor'].map(isCallbackProvider)).toEqual([true, false, false])
})
