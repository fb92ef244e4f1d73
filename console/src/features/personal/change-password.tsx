import { Box, Button, Heading, Stack } from '@chakra-ui/react'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { put } from '../../core/api.ts'
import { setSessionUser } from '../../core/session.ts'
import { TextField } from '../../parts/fields.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { Panel } from '../../parts/page.tsx'
import type { PasswordForm } from './password-rules.ts'
import { PASSWORD_LENGTH, passwordErrors } from './password-rules.ts'
import { Form } from '../../parts/form/form.tsx'

const EMPTY: PasswordForm = { original: '', password: '', confirmation: '' }

/** Changes the password. The server ends every session with it, so the user signs in again afterwards. */
export function ChangePassword() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [form, setForm] = useState(EMPTY)
  const [isChecked, setChecked] = useState(false)
  const errors = isChecked ? passwordErrors(form) : {}
  const change = useMutation({
    mutationFn: () =>
      put('/api/user/self', { original_password: form.original, password: form.password }),
    onSuccess: () => {
      notifySuccess(t('personal.passwordChanged'))
      setSessionUser(null)
      void navigate({ to: '/login' })
    },
  })
  const submit = () => {
    setChecked(true)
    if (Object.keys(passwordErrors(form)).length === 0) change.mutate()
  }
  const field = (key: keyof PasswordForm) => {
    const error = errors[key]
    return {
      type: 'password' as const,
      value: form[key],
      onChange: (value: string) => setForm((old) => ({ ...old, [key]: value })),
      error: error ? t(`personal.password_${error}`, PASSWORD_LENGTH) : undefined,
    }
  }
  return (
    <Panel p="5">
      <Heading as="h2" size="sm" mb="3">
        {t('personal.changePassword')}
      </Heading>
      <Form onSubmit={submit}>
        <Stack gap="4">
          <TextField
            label={t('personal.originalPassword')}
            autoComplete="current-password"
            {...field('original')}
          />
          <TextField
            label={t('personal.newPassword')}
            autoComplete="new-password"
            help={t('personal.passwordHelp', PASSWORD_LENGTH)}
            {...field('password')}
          />
          <TextField
            label={t('personal.confirmPassword')}
            autoComplete="new-password"
            {...field('confirmation')}
          />
          <Box>
            <Button type="submit" size="sm" loading={change.isPending}>
              {t('personal.changePassword')}
            </Button>
          </Box>
        </Stack>
      </Form>
    </Panel>
  )
}
