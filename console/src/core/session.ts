import { useSyncExternalStore } from 'react'
import type { SessionUser } from './contract.ts'
import { ROLE_ADMIN, ROLE_ROOT } from './contract.ts'

const STORAGE_KEY = 'user'
const listeners = new Set<() => void>()
let current: SessionUser | null = read()

/** Who is signed in in this browser, or null. The server decides; this only chooses what to show. */
export function sessionUser(): SessionUser | null {
  return current
}

/** Remembers who signed in, or forgets (null), and tells every view. */
export function setSessionUser(user: SessionUser | null): void {
  current = user
  if (user) localStorage.setItem(STORAGE_KEY, JSON.stringify(user))
  else localStorage.removeItem(STORAGE_KEY)
  for (const listener of listeners) listener()
}

/** The signed-in user, followed through sign-in and sign-out. */
export function useSessionUser(): SessionUser | null {
  return useSyncExternalStore(subscribe, sessionUser)
}

/** True from role 10. */
export function useIsAdmin(): boolean {
  return (useSessionUser()?.role ?? 0) >= ROLE_ADMIN
}

/** True for role 100. */
export function useIsRoot(): boolean {
  return (useSessionUser()?.role ?? 0) >= ROLE_ROOT
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function read(): SessionUser | null {
  try {
    const user = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null') as SessionUser | null
    return user && typeof user.id === 'number' ? user : null
  } catch {
    // Somebody else's or a damaged entry is the same as nobody signed in.
    return null
  }
}
