import { Portal } from '@chakra-ui/react'
import type { ReactNode } from 'react'

/** The id of the element at the end of the frame's main part that popups are put into. */
export const POPUP_HOST_ID = 'popups'

/** Puts a menu or popover above everything and yet inside the main landmark, where screen readers look for content. */
export function PopupPortal({ children }: { children: ReactNode }) {
  return <Portal container={host}>{children}</Portal>
}

const host = {
  get current(): HTMLElement | null {
    return document.getElementById(POPUP_HOST_ID)
  },
}
