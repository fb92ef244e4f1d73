import { useTranslation } from 'react-i18next'
import { PasswordField } from '../password-field.tsx'

/** A secret that is written and never read back: an empty field keeps what is stored. */
export function SecretField(props: {
  label: string
  value: string
  /** Whether a secret is stored; undefined = not known yet. */
  isSet: boolean | undefined
  onChange: (value: string) => void
  help?: string | undefined
  error?: string | undefined
}) {
  const { t } = useTranslation()
  const { help, isSet, ...field } = props
  const placeholder = isSet === undefined ? '' : t(isSet ? 'form.keepSecret' : 'form.noSecret')
  return (
    <PasswordField
      {...field}
      {...(help ? { help } : {})}
      autoComplete="new-password"
      placeholder={placeholder}
    />
  )
}
