import { useTranslation } from 'react-i18next'
import { put } from '../../core/api.ts'
import { TextField } from '../../parts/fields.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { notifySuccess } from '../../parts/notify.tsx'
import { sessionsQuery } from '../../parts/sessions/use-sessions.ts'
import type { PasswordForm, PasswordProblem } from './password-rules.ts'
import { PASSWORD_LENGTH, passwordErrors } from './password-rules.ts'

/** Changes the password. The server ends every other session with it. */
export function ChangePassword({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const form = useForm<PasswordForm, PasswordProblem>({
    initial: { original: '', password: '', confirmation: '' },
    check: passwordErrors,
    say: (problem) => t(`personal.password_${problem}`, PASSWORD_LENGTH),
    refusals: {
      original_password_wrong: 'original',
      original_password_missing: 'original',
      password_too_short: 'password',
      new_password_missing: 'password',
      new_password_same: 'password',
    },
    save: ({ original, password }) =>
      put('/api/user/self', { original_password: original, password }),
    refresh: [sessionsQuery().queryKey],
    onSaved: () => {
      notifySuccess(t('personal.passwordChanged'))
      onClose()
    },
  })
  const field = { type: 'password' } as const
  return (
    <FormDialog
      title={t('personal.changePassword')}
      form={form}
      submitLabel={t('personal.changePassword')}
      onClose={onClose}
    >
      <TextField
        {...field}
        label={t('personal.originalPassword')}
        autoComplete="current-password"
        {...form.text('original')}
      />
      <TextField
        {...field}
        label={t('personal.newPassword')}
        autoComplete="new-password"
        help={t('personal.passwordHelp', PASSWORD_LENGTH)}
        {...form.text('password')}
      />
      <TextField
        {...field}
        label={t('personal.confirmPassword')}
        autoComplete="new-password"
        {...form.text('confirmation')}
      />
    </FormDialog>
  )
}
