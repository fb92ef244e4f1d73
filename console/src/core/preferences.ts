import { useSyncExternalStore } from 'react'

/**
 * Local keys (seeds) of the settings by which this browser remembers how to show things. Each setting is one text;
 * every view that reads one follows its changes.
 */
export type PreferenceKey =
  | 'theme-mode'
  | 'page-size'
  | 'quota-unit'
  | 'row-density'
  | 'sidebar-collapsed'
  | 'id-sort'
  | 'enable-tag-mode'
  | 'enable-batch-delete'
  | 'logs-table-columns'
  | 'channels-table-columns'
  | 'tokens-table-columns'
  | 'redemptions-table-columns'
  | 'prices-table-columns'
  | 'pricing-table-columns'
  | 'replays-table-columns'
  | 'users-table-columns'
  | 'journal-table-columns'
  | 'balances-table-columns'
  | 'orders-table-columns'
  | 'events-table-columns'
  | 'column-widths'
  | 'saved-views'
  | 'prompt-channel-test'
  | 'modelsExpanded'
  | 'first-steps'

const listeners = new Set<() => void>()

/** The stored text, or null when nothing was chosen yet. */
export function preference(key: PreferenceKey): string | null {
  return localStorage.getItem(key)
}

/** Stores a choice and tells every view that follows it. */
export function setPreference(key: PreferenceKey, value: string): void {
  localStorage.setItem(key, value)
  for (const listener of listeners) listener()
}

/** A choice with its default, and the way to change it. */
export function usePreference(
  key: PreferenceKey,
  fallback: string,
): readonly [string, (value: string) => void] {
  const value = useSyncExternalStore(subscribe, () => preference(key)) ?? fallback
  return [value, (next) => setPreference(key, next)]
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}
