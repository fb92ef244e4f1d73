import { cloneElement } from 'react'
import type { ReactElement } from 'react'

/**
 * The look of a figure or name that leads somewhere: its own colour, underlined, so that dense lists stay calm. Takes one
 * link or button. Its styles are the page's (`dev/global-styles.tsx`): a component for each is too slow for long lists.
 */
export function Opens({ children }: { children: ReactElement<{ className?: string }> }) {
  const { className } = children.props
  return cloneElement(children, {
    className: className === undefined ? OPENS : `${OPENS} ${className}`,
  })
}

/** The class of what opens something, for elements that are written out. */
export const OPENS = 'opens'
