import { useCallback, useState } from 'react'

/**
 * Whether an element has come into sight, and the ref to put on it. What is dear to draw and lies below the window's
 * edge waits for it; once seen, it stays.
 */
export function useSeen(): readonly [
  (element: Element | null) => (() => void) | undefined,
  boolean,
] {
  const [isSeen, setSeen] = useState(false)
  const watch = useCallback((element: Element | null) => {
    if (!element) return undefined
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) setSeen(true)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [watch, isSeen]
}
