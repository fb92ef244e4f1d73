import { Box } from '@chakra-ui/react'
import { useEffect, useState } from 'react'
import { zoneName } from './time-format.ts'

interface Shown {
  readonly text: string
  readonly x: number
  readonly y: number
}

/**
 * One floating label for everything that carries `data-hint`: amounts with all their digits, reasons behind a status;
 * and for every `<time>`, whose zone it names.
 * A single layer serves thousands of cells, which a tooltip component in each would not. Shown on hover and on
 * keyboard focus, gone on Escape. The frame fetches it once the page is drawn.
 */
export default function HintLayer() {
  const [shown, setShown] = useState(hintOfPointed)
  useEffect(() => {
    const show = (event: Event) => setShown(hintOf(event.target))
    const hide = () => setShown(null)
    // A button's hint is often another once it was clicked. A finger's tap elsewhere is what shows a hint.
    const hideOnControl = ({ target }: Event) =>
      target instanceof Element && target.closest('button, a') !== null && hide()
    const hideOnEscape = (event: KeyboardEvent) => event.key === 'Escape' && hide()
    document.addEventListener('pointerover', show)
    document.addEventListener('focusin', show)
    document.addEventListener('scroll', hide, true)
    document.addEventListener('click', hideOnControl)
    document.addEventListener('keydown', hideOnEscape)
    return () => {
      document.removeEventListener('pointerover', show)
      document.removeEventListener('focusin', show)
      document.removeEventListener('scroll', hide, true)
      document.removeEventListener('click', hideOnControl)
      document.removeEventListener('keydown', hideOnEscape)
    }
  }, [])
  if (!shown) return null
  return (
    <Box
      role="tooltip"
      position="fixed"
      left={`${shown.x}px`}
      top={`${shown.y}px`}
      transform="translate(-50%, -100%)"
      zIndex="tooltip"
      maxW="320px"
      px="2"
      py="1"
      borderRadius="l2"
      bg="bg.inverted"
      color="fg.inverted"
      fontSize="xs"
      whiteSpace="pre-line"
      overflowWrap="anywhere"
      pointerEvents="none"
      fontVariantNumeric="tabular-nums"
    >
      {shown.text}
    </Box>
  )
}

/** Half the label's greatest width and a margin, so that it stays inside the window. */
const EDGE_PX = 168

/** A pointer may rest on something before this layer is there. */
const hintOfPointed = (): Shown | null =>
  hintOf([...document.querySelectorAll(':hover')].at(-1) ?? null)

function hintOf(target: EventTarget | null): Shown | null {
  const element = target instanceof Element ? target.closest('[data-hint], time') : null
  const text = element?.getAttribute('data-hint') ?? momentOf(element)
  if (!element || !text) return null
  const box = element.getBoundingClientRect()
  const middle = box.left + box.width / 2
  const x = Math.max(Math.min(EDGE_PX, innerWidth / 2), Math.min(middle, innerWidth - EDGE_PX))
  return { text, x, y: Math.max(box.top - 6, 40) }
}

/** The hint of a `<time>`: the zone that it is written in, and the same moment in UTC. */
function momentOf(element: Element | null | undefined): string | null {
  const moment = element?.getAttribute('datetime')
  return moment ? `${zoneName()}\n${moment}` : null
}
