import { Box, chakra, Flex } from '@chakra-ui/react'
import { useMemo, useRef } from 'react'
import { FormField } from '../fields.tsx'
import { Textarea } from '../late/textarea.ts'

/** Lines that are shown before the field scrolls. */
const LINES_MAX = 22
const LINES_MIN = 4

/** A problem in the text, shown at its place: following `at` takes the cursor there. */
export interface TextFault {
  readonly message: string
  /** From 0. */
  readonly at: number
}

/** JSON as text, with the numbers of its lines; what is wrong names its line and leads there. */
export function JsonField(props: {
  label: string
  isLabelHidden?: boolean
  value: string
  onChange: (value: string) => void
  fault: TextFault | null
  error?: string | undefined
  help?: string | undefined
}) {
  const { fault } = props
  const text = useRef<HTMLTextAreaElement>(null)
  const gutter = useRef<HTMLPreElement>(null)
  const lines = useMemo(() => props.value.split('\n').length, [props.value])
  const numbers = useMemo(
    () => Array.from({ length: lines }, (_, index) => index + 1).join('\n'),
    [lines],
  )
  const rows = Math.min(Math.max(lines + 1, LINES_MIN), LINES_MAX)
  const goTo = (at: number) => {
    const area = text.current
    if (!area) return
    area.focus()
    area.setSelectionRange(at, at + 1)
    const line = props.value.slice(0, at).split('\n').length
    area.scrollTop = Math.max(0, (line - 3) * LINE_HEIGHT)
  }
  return (
    <FormField
      label={props.label}
      isLabelHidden={props.isLabelHidden ?? false}
      help={props.help}
      error={
        fault ? (
          <chakra.button
            type="button"
            textAlign="start"
            cursor="pointer"
            textDecoration="underline"
            onClick={() => goTo(fault.at)}
          >
            {fault.message}
          </chakra.button>
        ) : (
          props.error
        )
      }
    >
      <Flex
        w="full"
        borderWidth="1px"
        borderColor={fault ? 'fg.error' : 'border.field'}
        borderRadius="l2"
        overflow="hidden"
        css={TEXT}
        _focusWithin={{ outline: '2px solid', outlineColor: 'teal.focusRing' }}
      >
        <Box
          bg="bg.muted"
          color="fg.subtle"
          flexShrink="0"
          overflow="hidden"
          position="relative"
          style={{ width: `${String(lines).length + 2}ch` }}
        >
          <chakra.pre
            ref={gutter}
            aria-hidden
            position="absolute"
            insetEnd="1ch"
            top="2"
            textAlign="end"
            userSelect="none"
            css={{ font: 'inherit' }}
          >
            {numbers}
          </chakra.pre>
        </Box>
        <Textarea
          ref={text}
          flex="1"
          minW="0"
          p="2"
          border="0"
          borderRadius="0"
          resize="vertical"
          whiteSpace="pre"
          css={{ font: 'inherit' }}
          wrap="off"
          spellCheck={false}
          style={{ height: `${rows * LINE_HEIGHT + 16}px`, outline: 'none' }}
          value={props.value}
          onChange={(event) => props.onChange(event.target.value)}
          onScroll={(event) => {
            if (gutter.current)
              gutter.current.style.transform = `translateY(-${event.currentTarget.scrollTop}px)`
          }}
        />
      </Flex>
    </FormField>
  )
}

const LINE_HEIGHT = 18
const TEXT = { fontFamily: 'mono', fontSize: 'xs', lineHeight: `${LINE_HEIGHT}px` } as const
