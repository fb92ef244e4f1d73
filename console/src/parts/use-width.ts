import { type RefObject, useCallback, useEffect, useState } from 'react'

/** An element's width in whole pixels, 0 until it is known, and the ref to put on it. */
export function useWidth(): readonly [
  (element: Element | null) => (() => void) | undefined,
  number,
] {
  const [width, setWidth] = useState(0)
  const watch = useCallback((element: Element | null) => {
    return element ? watchWidth(element, setWidth) : undefined
  }, [])
  return [watch, width]
}

/** The width of an element that has a ref, in whole pixels; 0 until it is known, and while nobody wants to know. */
export function useWidthOf(ref: RefObject<Element | null>, isWanted: boolean): number {
  const [width, setWidth] = useState(0)
  useEffect(
    () => (isWanted && ref.current ? watchWidth(ref.current, setWidth) : undefined),
    [ref, isWanted],
  )
  return isWanted ? width : 0
}

function watchWidth(element: Element, onWidth: (width: number) => void): () => void {
  const observer = new ResizeObserver(([entry]) => {
    if (entry) onWidth(Math.floor(entry.contentRect.width))
  })
  observer.observe(element)
  return () => observer.disconnect()
}
