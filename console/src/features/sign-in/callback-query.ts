import { pathOf } from '../../core/calls.ts'

/** A provider that leads the browser back to a callback page. */
export type CallbackProvider = 'github' | 'oidc' | 'linuxdo' | 'telegram'

const PROVIDERS: readonly string[] = ['github', 'oidc', 'linuxdo', 'telegram']
/** Fields that the server's callbacks read; providers send more (iss, session_state, scope). */
const FIELDS = ['code', 'state', 'error', 'error_description'] as const

/** Whether there is a callback page of this name. */
export const isCallbackProvider = (name: string): name is CallbackProvider =>
  PROVIDERS.includes(name)

/** The call that finishes a sign-in, made of the page's query as it stands: what Telegram signed must not be rewritten. */
export function callbackPath(provider: CallbackProvider, search: string) {
  if (provider === 'telegram') return pathOf('/api/oauth/telegram/login', {}, search)
  const given = new URLSearchParams(search)
  const sent = new URLSearchParams()
  for (const name of FIELDS) {
    const value = given.get(name)
    if (value !== null) sent.set(name, value)
  }
  return pathOf(`/api/oauth/${provider}`, {}, `?${sent.toString()}`)
}
