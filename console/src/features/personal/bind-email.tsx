import { Box, Text } from '@chakra-ui/react'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { get } from '../../core/api.ts'
import { selfQuery, useStatus } from '../../core/status.ts'
import { CountdownButton, useCountdown } from '../../parts/countdown.tsx'
import { TextField } from '../../parts/fields.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { notifySuccess } from '../../parts/notify.tsx'
import { useHumanCheck } from '../../parts/use-human-check.tsx'

/** Binds an e-mail by the code that is mailed there; in place of another one the password is asked for. */
export function BindEmail({ present, onClose }: { present: string; onClose: () => void }) {
  const { t } = useTranslation()
  const hasNoMail = useStatus()?.email_enabled === false
  const check = useHumanCheck()
  const lock = useCountdown()
  const form = useForm<{ email: string; code: string; password: string }, 'email' | 'code'>({
    initial: { email: '', code: '', password: '' },
    check: ({ email, code }) => ({
      ...(email.includes('@') ? {} : { email: 'email' as const }),
      ...(code.trim() === '' ? { code: 'code' as const } : {}),
    }),
    say: (problem) => (problem === 'email' ? t('personal.emailNeeded') : t('personal.codeNeeded')),
    refusals: {
      email_invalid: 'email',
      email_taken: 'email',
      email_alias_refused: 'email',
      email_domain_refused: 'email',
      email_code_invalid: 'code',
      ...(present === ''
        ? {}
        : { original_password_wrong: 'password', original_password_missing: 'password' }),
    },
    save: ({ email, code, password }) =>
      get('/api/oauth/email/bind', { email: email.trim(), code: code.trim(), password }),
    refresh: [selfQuery.queryKey],
    onSaved: () => {
      notifySuccess(t('personal.emailBound'))
      onClose()
    },
  })
  const email = form.values.email.trim()
  const send = useMutation({
    mutationFn: () => get('/api/verification', { email, turnstile: check.turnstile }),
    onSuccess: () => {
      check.accept()
      lock.begin()
      notifySuccess(t('personal.codeSent'))
    },
    onError: check.renew,
  })
  return (
    <FormDialog
      title={present === '' ? t('personal.bindEmail') : t('personal.changeEmail')}
      form={form}
      submitLabel={present === '' ? t('personal.bindEmail') : t('personal.changeEmail')}
      isDisabled={hasNoMail}
      onClose={onClose}
    >
      <TextField
        label={t('personal.newEmail')}
        autoComplete="email"
        isDisabled={hasNoMail}
        help={present === '' ? t('personal.noEmail') : t('personal.emailNow', { email: present })}
        {...form.text('email')}
      />
      {hasNoMail ? null : check.box}
      {hasNoMail ? (
        <Text color="fg.muted">{t('personal.noMail')}</Text>
      ) : (
        <Box>
          <CountdownButton
            size="sm"
            variant="outline"
            left={lock.left}
            label={t('personal.sendCode')}
            isBusy={send.isPending}
            onClick={() => {
              if (!email.includes('@')) form.submit()
              else if (check.isReady()) send.mutate()
            }}
          />
        </Box>
      )}
      <TextField
        label={t('personal.emailCode')}
        autoComplete="one-time-code"
        isDisabled={hasNoMail}
        {...form.text('code')}
      />
      {present === '' ? null : (
        <TextField
          label={t('personal.originalPassword')}
          type="password"
          autoComplete="current-password"
          isDisabled={hasNoMail}
          help={t('personal.emailPasswordHelp')}
          {...form.text('password')}
        />
      )}
    </FormDialog>
  )
}
