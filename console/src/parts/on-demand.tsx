import type { ReactElement, ReactNode } from 'react'
import { cloneElement, Suspense, useState } from 'react'

interface Pressable {
  readonly onClick?: () => void
  readonly 'aria-haspopup'?: 'menu' | 'dialog'
  readonly 'aria-expanded'?: boolean
  readonly onPointerEnter?: () => void
  readonly onFocus?: () => void
}

/**
 * A button whose menu or popover is fetched when somebody points at it: until then a page pays neither for its code nor,
 * in a table, for one in every row. From its first click on, `children` draws the button with what it opens, which
 * begins open.
 */
export function OnDemand(props: {
  button: ReactElement<Pressable>
  kind: 'menu' | 'dialog'
  /** Fetches what `children` needs. */
  load: () => Promise<unknown>
  children: (button: ReactElement) => ReactNode
}) {
  const [isWanted, setWanted] = useState(false)
  // When it cannot be had, the click says so.
  const fetchAhead = () => void props.load().catch(() => null)
  const waiting = cloneElement(props.button, {
    'aria-haspopup': props.kind,
    'aria-expanded': false,
    onPointerEnter: fetchAhead,
    onFocus: fetchAhead,
    onClick: () => setWanted(true),
  })
  if (!isWanted) return waiting
  return <Suspense fallback={waiting}>{props.children(props.button)}</Suspense>
}
