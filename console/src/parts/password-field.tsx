import { Box, IconButton, Input } from '@chakra-ui/react'
import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FormField } from './fields.tsx'

/** A password, hidden until its owner asks to see what they typed. */
export function PasswordField(props: {
  label: string
  value: string
  onChange: (value: string) => void
  autoComplete: 'current-password' | 'new-password'
  placeholder?: string
  help?: string
  error?: string | undefined
}) {
  const { t } = useTranslation()
  const [isShown, setShown] = useState(false)
  const label = isShown ? t('login.conceal') : t('login.reveal')
  return (
    <FormField label={props.label} help={props.help} error={props.error}>
      <Box position="relative" w="full">
        <Input
          size="sm"
          pe="9"
          type={isShown ? 'text' : 'password'}
          value={props.value}
          onChange={(event) => props.onChange(event.target.value)}
          autoComplete={props.autoComplete}
          {...(props.placeholder ? { placeholder: props.placeholder } : {})}
        />
        <IconButton
          position="absolute"
          insetEnd="0.5"
          top="0.5"
          size="xs"
          variant="ghost"
          color="fg.muted"
          aria-label={label}
          aria-pressed={isShown}
          data-hint={label}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? <EyeOff size={15} /> : <Eye size={15} />}
        </IconButton>
      </Box>
    </FormField>
  )
}
