import { Box, Text } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { SelectField, SwitchField, TextAreaField, TextField } from '../../parts/fields.tsx'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { exactQuota } from '../../parts/quota-format.ts'
import type { OptionField } from './option-field.ts'

/** The control that edits one option, with its explanation and what is wrong with it. */
export function OptionInput(props: {
  field: OptionField
  text: string
  error: string | undefined
  onChange: (text: string) => void
}) {
  const { t } = useTranslation()
  const { field, text, error, onChange } = props
  const label = t(`settings.field_${field.name}`)
  const help = t(`settings.help_${field.name}`)
  const common = { label, value: text, onChange, error }
  switch (field.kind) {
    case 'switch':
      return (
        <>
          <SwitchField
            label={label}
            help={help}
            isOn={text === 'true'}
            onChange={(isOn) => onChange(String(isOn))}
          />
          {error ? (
            <Text role="alert" color="fg.error" fontSize="xs">
              {error}
            </Text>
          ) : null}
        </>
      )
    case 'text':
      return <TextField {...common} help={help} />
    case 'lines':
      return <TextAreaField {...common} help={help} rows={7} isMono />
    case 'number':
      return (
        <TextField
          {...common}
          inputMode={field.isWhole ? 'numeric' : 'decimal'}
          help={field.isQuota ? <QuotaHelp text={text} help={help} /> : help}
        />
      )
    case 'choice':
      return (
        <SelectField
          {...common}
          help={help}
          options={field.choices.map((value) => ({ value, label: t(`settings.every_${value}`) }))}
        />
      )
    default:
      return field satisfies never
  }
}

/** What a typed amount of quota is in currency, beside the explanation. */
function QuotaHelp({ text, help }: { text: string; help: string }) {
  const { quotaPerUnit } = useQuotaUnit()
  const value = Number(text)
  const isAmount = text.trim() !== '' && Number.isSafeInteger(value)
  return (
    <Box as="span">
      {help}
      {isAmount ? ` (${exactQuota(value, quotaPerUnit).currency})` : ''}
    </Box>
  )
}
