import { Box, Stack, Text } from '@chakra-ui/react'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { post } from '../../core/api.ts'
import { AuthCard, FormError } from '../../parts/auth-card.tsx'
import { copyText } from '../../parts/clipboard.ts'
import { CopyTextButton } from '../../parts/copy.tsx'
import { CountdownButton, useCountdown } from '../../parts/countdown.tsx'
import { TextField } from '../../parts/fields.tsx'
import { Form } from '../../parts/form/form.tsx'
import { notifySuccess } from '../../parts/notify.tsx'

/** Where the mailed link leads: sets a new password, shows it and copies it (seeds, password reset screens). */
export function ResetConfirm({ email, token }: { email: string; token: string }) {
  const { t } = useTranslation()
  const countdown = useCountdown()
  const isWhole = email !== '' && token !== ''
  const reset = useMutation({
    mutationFn: () => post('/api/user/reset', { email, token }),
    meta: { isSaidElsewhere: () => true },
    onSuccess: async (password) => {
      if (await copyText(password)) notifySuccess(t('reset.copied'))
    },
  })
  const submit = () => {
    if (!isWhole || countdown.left > 0) return
    countdown.begin()
    reset.mutate()
  }
  return (
    <AuthCard
      title={t('reset.confirmTitle')}
      heading={t('reset.confirmTitle')}
      notice={isWhole ? undefined : t('reset.linkBroken')}
      footer={
        <>
          <Link to="/login">{t('reset.backToLogin')}</Link>
          {reset.data === undefined ? <Link to="/reset">{t('reset.newLink')}</Link> : null}
        </>
      }
    >
      <Form onSubmit={submit}>
        <Stack gap="4">
          <FormError error={reset.error} />
          <TextField
            label={t('reset.email')}
            type="email"
            value={email}
            onChange={() => undefined}
            isDisabled
          />
          {reset.data === undefined ? (
            <CountdownButton
              type="submit"
              size="sm"
              left={countdown.left}
              label={t('reset.confirm')}
              isBusy={reset.isPending}
              aria-disabled={!isWhole}
            />
          ) : (
            <NewPassword password={reset.data} />
          )}
        </Stack>
      </Form>
    </AuthCard>
  )
}

function NewPassword({ password }: { password: string }) {
  const { t } = useTranslation()
  return (
    <Stack as="output" gap="2" aria-live="polite">
      <Text fontWeight="500">{t('reset.newPassword')}</Text>
      <Box fontFamily="mono" fontSize="md" bg="bg.muted" borderRadius="l2" px="3" py="2">
        {password}
      </Box>
      <Box>
        <CopyTextButton text={password}>{t('reset.copy')}</CopyTextButton>
      </Box>
      <Text color="fg.muted">{t('reset.changeIt')}</Text>
    </Stack>
  )
}
