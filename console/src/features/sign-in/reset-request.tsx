import { Stack, Text } from '@chakra-ui/react'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { get } from '../../core/api.ts'
import { useStatus } from '../../core/status.ts'
import { AuthCard, FormError } from '../../parts/auth-card.tsx'
import { CountdownButton, useCountdown } from '../../parts/countdown.tsx'
import { TextField } from '../../parts/fields.tsx'
import { Form } from '../../parts/form/form.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { useHumanCheck } from '../../parts/use-human-check.tsx'

/** Has a link mailed that sets a new password; then locked for half a minute (seeds, password reset screens). */
export function ResetRequest() {
  const { t } = useTranslation()
  const hasNoMail = useStatus()?.email_enabled === false
  const [email, setEmail] = useState('')
  const [isMissing, setMissing] = useState(false)
  const human = useHumanCheck()
  const countdown = useCountdown()
  const send = useMutation({
    mutationFn: () =>
      get('/api/reset_password', { email: email.trim(), turnstile: human.turnstile }),
    meta: { isSaidElsewhere: () => true },
    onError: human.renew,
    onSuccess: () => {
      human.accept()
      countdown.begin()
      notifySuccess(t('reset.sent'))
    },
  })
  const submit = () => {
    if (countdown.left > 0) return
    setMissing(email.trim() === '')
    if (email.trim() !== '' && human.isReady()) send.mutate()
  }
  const frame = {
    title: t('reset.title'),
    heading: t('reset.title'),
    footer: <Link to="/login">{t('reset.backToLogin')}</Link>,
  }
  if (hasNoMail) {
    return (
      <AuthCard {...frame}>
        <Text color="fg.muted">{t('reset.noMail')}</Text>
      </AuthCard>
    )
  }
  return (
    <AuthCard {...frame}>
      <Form onSubmit={submit}>
        <Stack gap="4">
          <Text color="fg.muted">{t('reset.intro')}</Text>
          <FormError error={send.error} />
          <TextField
            label={t('reset.email')}
            type="email"
            value={email}
            onChange={setEmail}
            autoComplete="email"
            isFocused
            error={isMissing && email.trim() === '' ? t('reset.emailMissing') : undefined}
          />
          {human.box}
          {send.isSuccess ? <Text as="output">{t('reset.sentDetail')}</Text> : null}
          <CountdownButton
            type="submit"
            size="sm"
            left={countdown.left}
            label={send.isSuccess ? t('reset.sendAgain') : t('reset.send')}
            isBusy={send.isPending}
          />
        </Stack>
      </Form>
    </AuthCard>
  )
}
