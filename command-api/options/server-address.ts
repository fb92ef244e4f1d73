import type { OptionsView } from '@tollgate/domain/settings/options.ts'

/** In force while an administrator has set no other (console-api 3.3); the console puts its own page's address for it. */
const UNSET_ADDRESS = 'http://localhost:3000'

/**
 * Tollgate's own address for links and for the public status, without a trailing slash. Never the Host of a request:
 * its sender would have the links of others lead to themselves.
 */
export const serverAddress = (options: OptionsView): string =>
  options.text('ServerAddress') || UNSET_ADDRESS
