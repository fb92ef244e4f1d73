import { Button, Flex, Input, Popover, Stack, Text } from '@chakra-ui/react'
import type { ReactElement } from 'react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { PopupPortal } from '../popup-portal.tsx'
import { fromLocalInput, toLocalInput } from '../time-format.ts'
import type { Range } from './range.ts'
import { ZoneChoice } from './zone-choice.tsx'
import { isReversed, RANGE_PRESETS } from './range.ts'

/** The choices of a span of time. Fetched on demand. */
export default function RangePopover(props: {
  button: ReactElement
  value: Range
  hasAll?: boolean
  onChange: (range: Range) => void
}) {
  const { t } = useTranslation()
  const { value } = props
  return (
    <Popover.Root lazyMount unmountOnExit defaultOpen>
      <Popover.Trigger asChild>{props.button}</Popover.Trigger>
      <PopupPortal>
        <Popover.Positioner>
          <Popover.Content p="3" width="300px" aria-label={t('range.label')}>
            <Stack gap="3">
              <Flex gap="1.5" wrap="wrap">
                {RANGE_PRESETS.map((preset) => (
                  <Button
                    key={preset}
                    size="xs"
                    variant={
                      value.type === 'preset' && value.preset === preset ? 'solid' : 'outline'
                    }
                    onClick={() => props.onChange({ type: 'preset', preset })}
                  >
                    {t(`range.${preset}`)}
                  </Button>
                ))}
                {props.hasAll ? (
                  <Button
                    size="xs"
                    variant={value.type === 'all' ? 'solid' : 'outline'}
                    onClick={() => props.onChange({ type: 'all' })}
                  >
                    {t('range.all')}
                  </Button>
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

/** From and to; one that ends before it begins is said and not asked for. */
function Moments({ value, onChange }: { value: Range; onChange: (range: Range) => void }) {
  const { t } = useTranslation()
  const id = useId()
  const [typed, setTyped] = useState<Range>(value)
  const custom: { start?: number; end?: number } = typed.type === 'custom' ? typed : {}
  const problem = isReversed(typed) ? t('range.reversed') : ''
  const set = (key: 'start' | 'end', text: string) => {
    const seconds = fromLocalInput(text)
    const start = key === 'start' ? seconds : custom.start
    const end = key === 'end' ? seconds : custom.end
    const next: Range = {
      type: 'custom',
      ...(start === null || start === undefined ? {} : { start }),
      ...(end === null || end === undefined ? {} : { end }),
    }
    setTyped(next)
    if (!isReversed(next)) onChange(next)
  }
  return (
    <Stack gap="2">
      {(['start', 'end'] as const).map((key) => (
        <label key={key}>
          <Text as="span" fontSize="xs" color="fg.muted">
            {t(`range.${key}`)}
          </Text>
          <Input
            size="xs"
            type="datetime-local"
            step="1"
            value={custom[key] === undefined ? '' : toLocalInput(custom[key])}
            aria-invalid={problem ? true : undefined}
            aria-describedby={id}
            onChange={(event) => set(key, event.target.value)}
          />
        </label>
      ))}
      <Text id={id} role="alert" fontSize="xs" color="fg.error">
        {problem}
      </Text>
    </Stack>
  )
}
