import { useCallback, useState } from 'react'

/** An element's width in whole pixels, 0 until it is known, and the ref to put on it. */
export function useWidth(): readonly [
  (element: Element | null) => (() => void) | undefined,
  number,
] {
  const [width, setWidth] = useState(0)
  const watch = useCallback((element: Element | null) => {
    if (!element) return undefined
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.floor(entry.contentRect.width))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [watch, width]
}
