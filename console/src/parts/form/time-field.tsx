import { Text } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { TextField } from '../fields.tsx'
import { dateTime, fromLocalInput, zoneName } from '../time-format.ts'

/**
 * A moment, to the second, typed in the reader's zone, which stands beside it. The platform's own control writes dates
 * as the browser's country does, so the moment stands below it as everywhere else. `value` is what that control holds
 * (`toLocalInput`, `fromLocalInput`); '' is no moment.
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
  const moment = fromLocalInput(props.value)
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
          {moment === null ? null : (
            <Text as="span" display="block">
              {dateTime(moment)}
            </Text>
          )}
          {t('range.zone', { zone: zoneName() })}
        </>
      }
    />
  )
}
