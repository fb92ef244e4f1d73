import { Text } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { FormField } from '../fields.tsx'
import { MomentInput } from '../moment-input.tsx'
import { zoneName } from '../time-format.ts'

/**
 * A moment, to the second, typed in the reader's zone, which stands below it. `value` is what was typed (`momentText`,
 * `readMoment`); '' is no moment.
 */
export function TimeField(props: {
  label: string
  value: string
  onChange: (value: string) => void
  onBlur?: () => void
  error?: string | undefined
  help?: string | undefined
}) {
  const { t } = useTranslation()
  const { label, error, help, value, onChange, onBlur } = props
  return (
    <FormField
      label={label}
      error={error}
      help={
        <>
          {help ? (
            <Text as="span" display="block">
              {help}
            </Text>
          ) : null}
          {t('range.zone', { zone: zoneName() })}
        </>
      }
    >
      <MomentInput size="sm" value={value} onChange={onChange} onDone={onBlur} />
    </FormField>
  )
}
