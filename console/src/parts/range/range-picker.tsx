import { Button, Flex, Input, Popover, Stack, Text } from '@chakra-ui/react'
import { CalendarClock } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Range } from './range.ts'
import { RANGE_PRESETS } from './range.ts'
import { dateTime, fromLocalInput, toLocalInput, zoneName } from '../time-format.ts'
import { PopupPortal } from '../popup-portal.tsx'

/** Chooses a span of time: by name, by two moments in the browser's zone, or all time. */
export function RangePicker(props: {
  value: Range
  hasAll?: boolean
  onChange: (range: Range) => void
}) {
  const { t } = useTranslation()
  const { value } = props
  return (
    <Popover.Root lazyMount unmountOnExit>
      <Popover.Trigger asChild>
        <Button
          size="xs"
          variant="outline"
          aria-label={`${t('range.label')}: ${useRangeName(value)}`}
        >
          <CalendarClock size={14} aria-hidden />
          {useRangeName(value)}
        </Button>
      </Popover.Trigger>
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
              <Text fontSize="xs" color="fg.muted">
                {t('range.zone', { zone: zoneName() })}
              </Text>
            </Stack>
          </Popover.Content>
        </Popover.Positioner>
      </PopupPortal>
    </Popover.Root>
  )
}

function Moments({ value, onChange }: { value: Range; onChange: (range: Range) => void }) {
  const { t } = useTranslation()
  const custom: { start?: number; end?: number } = value.type === 'custom' ? value : {}
  const set = (key: 'start' | 'end', text: string) => {
    const seconds = fromLocalInput(text)
    const start = key === 'start' ? seconds : custom.start
    const end = key === 'end' ? seconds : custom.end
    onChange({
      type: 'custom',
      ...(start === null || start === undefined ? {} : { start }),
      ...(end === null || end === undefined ? {} : { end }),
    })
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
            onChange={(event) => set(key, event.target.value)}
          />
        </label>
      ))}
    </Stack>
  )
}

/** What a range is called: its name, or from when to when. */
export function useRangeName(value: Range): string {
  const { t } = useTranslation()
  if (value.type === 'preset') return t(`range.${value.preset}`)
  if (value.type === 'all') return t('range.all')
  const start = value.start === undefined ? '…' : dateTime(value.start)
  const end = value.end === undefined ? '…' : dateTime(value.end)
  return `${start} – ${end}`
}
