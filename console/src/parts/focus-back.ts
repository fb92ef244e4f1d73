import { useLayoutEffect } from 'react'

/** The element that had the focus before a dialog opened, and perhaps another one in its place. */
let opener: HTMLElement | null = null

/**
 * A dialog gives the focus back to what opened it. When that is gone, as the button of another dialog is, it goes to what
 * opened the first one, or to the content: never to nothing.
 */
export function useFocusBack(): void {
  useLayoutEffect(() => {
    const { activeElement, body } = document
    if (activeElement instanceof HTMLElement && activeElement !== body && !inDialog(activeElement))
      opener = activeElement
    // By then, the dialog has given back what it can.
    return () => {
      requestAnimationFrame(() => setTimeout(recover))
    }
  }, [])
}

const inDialog = (element: Element): boolean =>
  element.closest('[role=dialog], [role=alertdialog]') !== null

function recover(): void {
  if (document.activeElement !== document.body) return
  const place = opener?.isConnected ? opener : document.getElementById('content')
  place?.focus({ preventScroll: true })
}
