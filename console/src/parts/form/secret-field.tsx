import { useTranslation } from 'react-i18next'
import { PasswordField } from '../password-field.tsx'

/** A secret that is written and never read back: an empty field keeps what is stored. */
export function SecretField(props: {
  label: string
  value: string
  onChange: (value: string) => void
  help?: string | undefined
  error?: string | undefined
}) {
  const { t } = useTranslation()
  const { help, ...field } = props
  return (
    <PasswordField
      {...field}
      {...(help ? { help } : {})}
      autoComplete="new-password"
      placeholder={t('form.keepSecret')}
    />
  )
}
