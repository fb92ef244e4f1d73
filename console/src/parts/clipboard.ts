import { useSyncExternalStore } from 'react'

let pending: string | null = null
const listeners = new Set<() => void>()

/**
 * Copies a text. Pages served over plain http have no clipboard API, so an old-style copy is tried next; when both
 * fail, the dialog that shows the text for copying by hand opens (seeds, error catalogue). True when it was copied.
 */
export async function copyText(text: string): Promise<boolean> {
  if ((await copiedByApi(text)) || copiedBySelection(text)) return true
  setPending(text)
  return false
}

/** The text that waits to be copied by hand, for the dialog in the frame. */
export function useManualCopy(): readonly [string | null, () => void] {
  const text = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => pending,
  )
  return [text, () => setPending(null)]
}

function setPending(text: string | null): void {
  pending = text
  for (const listener of listeners) listener()
}

async function copiedByApi(text: string): Promise<boolean> {
  if (!window.isSecureContext) return false
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // The browser or the user refused; the next way needs no permission.
    return false
  }
}

function copiedBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.style.position = 'fixed'
  area.style.opacity = '0'
  // A modal dialog keeps focus inside itself, so the helper element has to live there too.
  const host = document.querySelector('[role="dialog"]') ?? document.body
  host.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  return isCopied
}
