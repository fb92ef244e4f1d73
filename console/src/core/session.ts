import { useSyncExternalStore } from 'react'
import type { SessionUser } from './contract.ts'
import { ROLE_ADMIN, ROLE_ROOT } from './contract.ts'

const STORAGE_KEY = 'user'
const listeners = new Set<() => void>()
let current: SessionUser | null = read()
let isOver = false
/** Calls that wait until somebody has signed in again; each learns whether it is the same user. */
const waiting: ((isSame: boolean) => void)[] = []

/** The user who is signed in in this browser, or null. The server decides; this only chooses what to show. */
export function sessionUser(): SessionUser | null {
  return current
}

/** Remembers who signed in, or forgets (null), and tells every view. */
export function setSessionUser(user: SessionUser | null): void {
  isOver = false
  become(user)
}

/** Forgets the user whose session the server has ended. */
export function endSession(): void {
  isOver = true
  become(null)
}

/** True while nobody is signed in because the server has ended the session. */
export const hasSessionEnded = (): boolean => isOver

function become(user: SessionUser | null): void {
  const isSame = user?.id === current?.id
  current = user
  if (user) localStorage.setItem(STORAGE_KEY, JSON.stringify(user))
  else localStorage.removeItem(STORAGE_KEY)
  const settled = waiting.splice(0)
  for (const listener of listeners) listener()
  for (const settle of settled) settle(isSame)
}

/**
 * The server has ended the session of the present user: asks for the password over the page, which stays as it is.
 * Answers true once the same user has signed in again, here or in another tab; false once they signed out.
 */
export function signedInAgain(): Promise<boolean> {
  // A reload begins at the sign-in page, and other tabs see that somebody signs in.
  localStorage.removeItem(STORAGE_KEY)
  return new Promise((resolve) => {
    waiting.push(resolve)
    for (const listener of listeners) listener()
  })
}

/** True while calls wait for the user to sign in again. */
export function useIsSessionOver(): boolean {
  return useSyncExternalStore(subscribe, () => waiting.length > 0)
}

/** Takes over the sign-in of the same user in another tab. */
export function adoptStoredUser(): void {
  const stored = read()
  if (stored?.id === current?.id) setSessionUser(stored)
}

/** The signed-in user, followed through sign-in and sign-out. */
export function useSessionUser(): SessionUser | null {
  return useSyncExternalStore(subscribe, sessionUser)
}

/** True from role 10. */
export const isAdmin = (): boolean => hasRole(current, ROLE_ADMIN)

/** True for role 100. */
export const isRoot = (): boolean => hasRole(current, ROLE_ROOT)

/** True from role 10, followed through sign-in and sign-out. */
export function useIsAdmin(): boolean {
  return hasRole(useSessionUser(), ROLE_ADMIN)
}

/** True for role 100, followed through sign-in and sign-out. */
export function useIsRoot(): boolean {
  return hasRole(useSessionUser(), ROLE_ROOT)
}

const hasRole = (user: SessionUser | null, role: number): boolean => (user?.role ?? 0) >= role

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
