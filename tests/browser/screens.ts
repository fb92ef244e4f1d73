/** The screens of somebody who is signed in as the super administrator, by their addresses. */
export const SCREENS = [
  '/',
  '/detail',
  '/token',
  '/log',
  '/channel',
  '/redemption',
  '/user',
  '/pricing',
  '/about',
  '/setting',
  '/topup',
  '/statement',
  '/setting?prices=visual',
  '/setting?tab=system',
  '/personal',
  '/audit/journal',
  '/audit/trial-balance',
  '/audit/balances',
  '/audit/orders',
  '/audit/prices',
  '/audit/events',
  '/replays',
  '/no-such-page',
] as const

/** The screens that visitors see before they sign in. */
export const VISITOR_SCREENS = ['/', '/login', '/register', '/reset', '/pricing'] as const
