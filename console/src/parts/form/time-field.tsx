import { Text } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { TextField } from '../fields.tsx'
import { zoneName } from '../time-format.ts'

/**
 * A moment, to the second, typed in the reader's zone, which stands beside it. `value` is what the platform's own
 * control holds (`toLocalInput`, `fromLocalInput`); '' is no moment.
 */
export function TimeField(props: {
  label: string
  value: string
  onChange: (value: string) => void
  onBlur?: () => void
  error?: string | undefined
  help?: string | undefined
  isRequired?: boolean
}) {
  const { t } = useTranslation()
  const { help, ...field } = props
  return (
    <TextField
      {...field}
      type="datetime-local"
      step="1"
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
    />
  )
}
