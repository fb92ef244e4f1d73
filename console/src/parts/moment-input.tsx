import { Box, chakra, IconButton, Input } from '@chakra-ui/react'
import { CalendarClock } from 'lucide-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { momentText, readMoment } from './time-format.ts'

/**
 * A moment, typed as the console writes it: `2026-11-25 17:09:00` in the reader's zone. The platform's own control
 * writes dates as the browser's country does, so only its calendar is used, from the button. `onDone` gets the text
 * when it was typed to its end (Enter, or the field is left) or chosen in the calendar.
 */
export function MomentInput(props: {
  id?: string
  value: string
  onChange: (text: string) => void
  onDone?: ((text: string) => void) | undefined
  size: 'xs' | 'sm'
  isInvalid?: boolean
  describedBy?: string
}) {
  const { t } = useTranslation()
  const calendar = useRef<HTMLInputElement>(null)
  const { value, onChange, onDone } = props
  const moment = readMoment(value)
  return (
    <Box position="relative" w="full">
      <Input
        size={props.size}
        pe="9"
        autoComplete="off"
        placeholder={FORMAT}
        fontVariantNumeric="tabular-nums"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onBlur={() => onDone?.(value)}
        onKeyDown={(event) => event.key === 'Enter' && onDone?.(value)}
        {...(props.id ? { id: props.id } : {})}
        {...(props.isInvalid ? { 'aria-invalid': true } : {})}
        {...(props.describedBy ? { 'aria-describedby': props.describedBy } : {})}
      />
      <chakra.input
        ref={calendar}
        type="datetime-local"
        step="1"
        aria-hidden
        tabIndex={-1}
        position="absolute"
        insetEnd="0"
        bottom="0"
        w="8"
        h="full"
        opacity="0"
        pointerEvents="none"
        value={moment === null ? '' : momentText(moment).replace(' ', 'T')}
        onChange={(event) => {
          const text = event.target.value.replace('T', ' ')
          onChange(text)
          onDone?.(text)
        }}
      />
      <IconButton
        position="absolute"
        insetEnd="0.5"
        top="50%"
        transform="translateY(-50%)"
        size="2xs"
        variant="ghost"
        color="fg.muted"
        aria-label={t('range.calendar')}
        data-hint={t('range.calendar')}
        onClick={() => calendar.current?.showPicker()}
      >
        <CalendarClock size={14} />
      </IconButton>
    </Box>
  )
}

const FORMAT = 'YYYY-MM-DD HH:mm:ss'
