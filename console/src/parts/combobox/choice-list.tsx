import type { CSSProperties } from 'react'
import { chakra } from '@chakra-ui/react'
import { useLayoutEffect, useRef, useState } from 'react'
import type { Choice } from './choices.ts'

/** Pixels; all rows are alike, so only those in view need be drawn. */
const ROW_HEIGHT = 30
const ROWS_SHOWN = 8
/** Rows drawn above and below those in view, so that scrolling shows no gap. */
const ROWS_AROUND = 4

/**
 * The list of a combobox: the keyboard stays in the field, which names the active row. `isInline` puts it into the text
 * instead of over what comes below.
 */
export function ChoiceList(props: {
  id: string
  label: string
  choices: readonly Choice[]
  /** Index of the row that Enter takes; -1 = none. */
  active: number
  isInline: boolean
  onChoose: (choice: Choice) => void
}) {
  const { id, choices, active, isInline } = props
  const list = useRef<HTMLDivElement>(null)
  const [scrolled, setScrolled] = useState(0)
  const [isAbove, setAbove] = useState(false)
  useLayoutEffect(() => {
    if (list.current && !isInline) setAbove(hasNoRoomBelow(list.current))
  }, [isInline])
  useLayoutEffect(() => {
    if (list.current && active >= 0) bringIntoView(list.current, active)
  }, [active])
  const first = Math.max(0, Math.floor(scrolled / ROW_HEIGHT) - ROWS_AROUND)
  const shown = choices.slice(first, first + ROWS_SHOWN + 2 * ROWS_AROUND)
  return (
    <chakra.div
      ref={list}
      id={id}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a browser neither filters nor styles its own lists.
      role="listbox"
      aria-label={props.label}
      css={LIST}
      style={isInline ? undefined : isAbove ? ABOVE : BELOW}
      // The field keeps the focus, also when somebody drags the scroll bar.
      onPointerDown={(event) => event.preventDefault()}
      onScroll={(event) => setScrolled(event.currentTarget.scrollTop)}
    >
      <div role="presentation" style={{ height: choices.length * ROW_HEIGHT }}>
        {shown.map((choice, index) => (
          <ChoiceRow
            key={choice.value}
            id={rowId(id, first + index)}
            choice={choice}
            index={first + index}
            count={choices.length}
            isActive={first + index === active}
            onChoose={props.onChoose}
          />
        ))}
      </div>
    </chakra.div>
  )
}

/** The id of a row, for the field's `aria-activedescendant`. */
export const rowId = (listId: string, index: number): string => `${listId}-${index}`

function ChoiceRow(props: {
  id: string
  choice: Choice
  index: number
  count: number
  isActive: boolean
  onChoose: (choice: Choice) => void
}) {
  const { choice, index, isActive } = props
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- keys go to the field, which names the active row.
    <div
      id={props.id}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- part of the list above.
      role="option"
      aria-selected={isActive}
      aria-setsize={props.count}
      aria-posinset={index + 1}
      title={choice.label}
      style={{ top: index * ROW_HEIGHT, height: ROW_HEIGHT }}
      onClick={() => props.onChoose(choice)}
    >
      {choice.label}
    </div>
  )
}

function bringIntoView(list: HTMLElement, index: number): void {
  const top = index * ROW_HEIGHT
  list.scrollTop = Math.min(
    top,
    Math.max(list.scrollTop, top + ROW_HEIGHT - ROW_HEIGHT * ROWS_SHOWN),
  )
}

/** True where the list would be cut off below its field, and fits above it. */
function hasNoRoomBelow(list: HTMLElement): boolean {
  let top = 0
  let bottom = window.innerHeight
  for (let around = list.parentElement; around; around = around.parentElement) {
    if (getComputedStyle(around).overflowY === 'visible') continue
    const box = around.getBoundingClientRect()
    top = Math.max(top, box.top)
    bottom = Math.min(bottom, box.bottom)
  }
  const { height } = list.getBoundingClientRect()
  const field = list.parentElement?.getBoundingClientRect()
  return field !== undefined && field.bottom + height > bottom && field.top - height > top
}

const BELOW: CSSProperties = { position: 'absolute', top: 'calc(100% + 4px)' }
const ABOVE: CSSProperties = { position: 'absolute', bottom: 'calc(100% + 4px)' }

const LIST = {
  insetInline: '0',
  zIndex: 'popover',
  maxH: `${ROW_HEIGHT * ROWS_SHOWN + 2}px`,
  overflowY: 'auto',
  overscrollBehavior: 'contain',
  borderWidth: '1px',
  borderColor: 'border',
  borderRadius: 'l2',
  bg: 'bg.panel',
  color: 'fg',
  fontSize: 'sm',
  fontWeight: '400',
  boxShadow: 'md',
  '& > div': { position: 'relative' },
  '& [role=option]': {
    position: 'absolute',
    insetInline: '0',
    px: '2.5',
    lineHeight: `${ROW_HEIGHT}px`,
    cursor: 'pointer',
    whiteSpace: 'nowrap',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    _hover: { bg: 'bg.subtle' },
    '&[aria-selected=true]': { bg: 'bg.muted', outline: '1px solid', outlineColor: 'border.field' },
  },
} as const
