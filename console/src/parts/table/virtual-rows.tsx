import { useVirtualizer } from '@tanstack/react-virtual'
import type { ReactNode, RefObject } from 'react'
import { useEffect } from 'react'

/** Rows beyond each edge of the window that are there before they are seen. */
const OVERSCAN = 12

/**
 * The rows of a long list that are in view, and some around them; the others are empty space of their height. `reveal`
 * receives a function that scrolls to a row. Fetched on demand: most lists are short.
 */
export default function VirtualRows(props: {
  count: number
  /** The height of one row, in pixels. */
  height: number
  scroller: RefObject<HTMLElement | null>
  reveal: RefObject<(index: number) => void>
  children: (index: number) => ReactNode
}) {
  const { count, height, scroller, reveal } = props
  // oxlint-disable-next-line react/incompatible-library -- the React compiler, which this rule is for, is not in use here.
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: OVERSCAN,
  })
  useEffect(() => {
    reveal.current = (index) => virtualizer.scrollToIndex(index)
    return () => {
      reveal.current = () => {}
    }
  }, [reveal, virtualizer])
  const items = virtualizer.getVirtualItems()
  return (
    <>
      <Spacer height={items[0]?.start ?? 0} />
      {items.map(({ index }) => props.children(index))}
      <Spacer height={virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0)} />
    </>
  )
}

function Spacer({ height }: { height: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden>
      <td style={{ height, padding: 0 }}>{null}</td>
    </tr>
  )
}
