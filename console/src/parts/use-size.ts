import { type RefObject, useCallback, useEffect, useState } from 'react'

type Watching = (element: Element | null) => (() => void) | undefined

/** An element's width in whole pixels, 0 until it is known, and the ref to put on it. */
export function useWidth(): readonly [Watching, number] {
  return useSize(widthIn)
}

/** An element's height with its padding and border in whole pixels, 0 until it is known, and the ref to put on it. */
export function useHeight(): readonly [Watching, number] {
  return useSize(heightIn)
}

/** The width of an element that has a ref, in whole pixels; 0 until it is known, and while nobody wants to know. */
export function useWidthOf(ref: RefObject<Element | null>, isWanted: boolean): number {
  const [width, setWidth] = useState(0)
  useEffect(
    () => (isWanted && ref.current ? watchSize(ref.current, widthIn, setWidth) : undefined),
    [ref, isWanted],
  )
  return isWanted ? width : 0
}

type Measure = (entry: ResizeObserverEntry) => number

const widthIn: Measure = (entry) => Math.floor(entry.contentRect.width)
const heightIn: Measure = (entry) => Math.floor(entry.borderBoxSize[0]?.blockSize ?? 0)

function useSize(measure: Measure): readonly [Watching, number] {
  const [size, setSize] = useState(0)
  const watch = useCallback(
    (element: Element | null) => (element ? watchSize(element, measure, setSize) : undefined),
    [measure],
  )
  return [watch, size]
}

function watchSize(element: Element, measure: Measure, onSize: (size: number) => void): () => void {
  const observer = new ResizeObserver(([entry]) => {
    if (entry) onSize(measure(entry))
  })
  observer.observe(element)
  return () => observer.disconnect()
}
