import { useLayoutEffect } from 'react'

/** The element that had the focus before the first open dialog opened, and perhaps another one in its place. */
let opener: HTMLElement | null = null
let openDialogs = 0

/**
 * A dialog gives the focus back to what opened it. When that is gone, as the button of another dialog is, it goes to what
 * opened the first one, or to the content: never to nothing.
 */
export function useFocusBack(isOpen = true): void {
  useLayoutEffect(() => {
    if (!isOpen) return undefined
    const { activeElement, body } = document
    if (activeElement instanceof HTMLElement && activeElement !== body && !inDialog(activeElement))
      opener = activeElement
    openDialogs += 1
    return () => {
      openDialogs -= 1
      recoverSoon()
    }
  }, [isOpen])
  // The button that a closed dialog gave the focus back to often goes together with it.
  useLayoutEffect(() => recoverSoon, [])
}

/** By then, the dialog has given back what it can. */
function recoverSoon(): void {
  requestAnimationFrame(() => setTimeout(recover))
}

const inDialog = (element: Element): boolean =>
  element.closest('[role=dialog], [role=alertdialog]') !== null

/** Focuses the first place that takes the focus, when nothing has it. */
function recover(): void {
  for (const place of [opener, document.getElementById('content')])
    if (document.activeElement === document.body) place?.focus({ preventScroll: true })
  if (openDialogs === 0) opener = null
}
