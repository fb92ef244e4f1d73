import { Box, chakra, Flex, Stack, Text } from '@chakra-ui/react'
import type { ReactElement } from 'react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useTimeZone } from '../../core/time-zone.ts'
import { ChoiceButton } from '../choice-button.tsx'
import { Popover } from '../late/popover.ts'
import { MomentInput } from '../moment-input.tsx'
import { PopupPortal } from '../popup-portal.tsx'
import { momentText, readMoment } from '../time-format.ts'
import type { Range } from './range.ts'
import { ZoneChoice } from './zone-choice.tsx'
import { isReversed, RANGE_PRESETS } from './range.ts'

/** The choices of a span of time. Fetched on demand. */
export default function RangePopover(props: {
  button: ReactElement
  value: Range
  hasAll?: boolean
  /** True where what happens at the end itself lies outside. */
  isEndOutside?: boolean
  onChange: (range: Range) => void
}) {
  const { t } = useTranslation()
  const { value } = props
  return (
    <Popover.Root lazyMount unmountOnExit defaultOpen positioning={{ placement: 'bottom-start' }}>
      <Popover.Trigger asChild>{props.button}</Popover.Trigger>
      <PopupPortal>
        <Popover.Positioner>
          <Popover.Content p="3" css={{ '--popover-size': '300px' }} aria-label={t('range.label')}>
            <Stack gap="3">
              <Flex gap="1.5" wrap="wrap">
                {RANGE_PRESETS.map((preset) => (
                  <ChoiceButton
                    key={preset}
                    isChosen={value.type === 'preset' && value.preset === preset}
                    onClick={() => props.onChange({ type: 'preset', preset })}
                  >
                    {t(`range.${preset}`)}
                  </ChoiceButton>
                ))}
                {props.hasAll ? (
                  <ChoiceButton
                    isChosen={value.type === 'all'}
                    onClick={() => props.onChange({ type: 'all' })}
                  >
                    {t('range.all')}
                  </ChoiceButton>
                ) : null}
              </Flex>
              <Moments {...props} />
              <ZoneChoice />
            </Stack>
          </Popover.Content>
        </Popover.Positioner>
      </PopupPortal>
    </Popover.Root>
  )
}

/** From and to; a text that is no moment, or an end before its beginning, is said and not asked for. */
function Moments(props: {
  value: Range
  isEndOutside?: boolean
  onChange: (range: Range) => void
}) {
  const { t } = useTranslation()
  const { value, onChange } = props
  const id = useId()
  // A zone chosen below writes both anew, and so does a preset.
  const zone = useTimeZone()
  const shown = JSON.stringify([value, zone])
  const [typed, setTyped] = useState(() => ({ shown, ...textsOf(value), problem: '' }))
  if (typed.shown !== shown) setTyped({ shown, ...textsOf(value), problem: '' })
  const done = (texts: Texts) => {
    const start = readMoment(texts.start)
    const end = readMoment(texts.end)
    const isRead = isEmptyOr(start, texts.start) && isEmptyOr(end, texts.end)
    const next: Range = {
      type: 'custom',
      ...(start === null ? {} : { start }),
      ...(end === null ? {} : { end }),
    }
    const problem = isRead ? (isReversed(next) ? 'reversed' : '') : 'noMoment'
    setTyped({ ...typed, ...texts, problem: problem && t(`range.${problem}`) })
    const old = textsOf(value)
    if (!problem && (texts.start !== old.start || texts.end !== old.end)) onChange(next)
  }
  return (
    <Stack gap="2">
      {(['start', 'end'] as const).map((key) => (
        <Box key={key}>
          <chakra.label htmlFor={`${id}-${key}`} fontSize="xs" color="fg.muted">
            {t(key === 'end' && props.isEndOutside ? 'range.before' : `range.${key}`)}
          </chakra.label>
          <MomentInput
            id={`${id}-${key}`}
            size="xs"
            value={typed[key]}
            isInvalid={typed.problem !== ''}
            describedBy={id}
            onChange={(text) => setTyped({ ...typed, [key]: text })}
            onDone={(text) => done({ start: typed.start, end: typed.end, [key]: text })}
          />
        </Box>
      ))}
      <Text id={id} role="alert" fontSize="xs" color="fg.error">
        {typed.problem}
      </Text>
    </Stack>
  )
}

interface Texts {
  readonly start: string
  readonly end: string
}

const isEmptyOr = (moment: number | null, text: string): boolean =>
  moment !== null || text.trim() === ''

function textsOf(range: Range): Texts {
  const { start, end }: { start?: number; end?: number } = range.type === 'custom' ? range : {}
  return {
    start: start === undefined ? '' : momentText(start),
    end: end === undefined ? '' : momentText(end),
  }
}
