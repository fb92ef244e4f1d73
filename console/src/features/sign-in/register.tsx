import { Flex, Stack, Text } from '@chakra-ui/react'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { get, post } from '../../core/api.ts'
import { referralCode } from '../../core/referral.ts'
import { useStatus } from '../../core/status.ts'
import { AuthCard, FormError } from '../../parts/auth-card.tsx'
import { BusyButton } from '../../parts/busy-button.tsx'
import { CountdownButton, useCountdown } from '../../parts/countdown.tsx'
import { TextField } from '../../parts/fields.tsx'
import { Form } from '../../parts/form/form.tsx'
import { isSameForm } from '../../parts/form/form-values.ts'
import { LazyLeaveGuard } from '../../parts/form/lazy-leave-guard.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { PasswordField } from '../../parts/password-field.tsx'
import { type HumanCheckState, useHumanCheck } from '../../parts/use-human-check.tsx'
import { OfferedProviders } from './offered-providers.tsx'
import type { RegisterErrors, RegisterForm } from './register-rules.ts'
import { registerErrors, registerPayload } from './register-rules.ts'

const EMPTY: RegisterForm = { username: '', password: '', password2: '', email: '', code: '' }

/** Sign-up by username and password; with a mailed code where the operator asks for one. */
export function Register() {
  const { t } = useTranslation()
  const status = useStatus()
  const isEmailAsked = status?.email_verification ?? false
  const affCode = referralCode()
  const navigate = useNavigate()
  const [form, setForm] = useState(EMPTY)
  const [isChecked, setChecked] = useState(false)
  const isSafe = useRef(false)
  const human = useHumanCheck()
  const register = useMutation({
    mutationFn: () =>
      post('/api/user/register', registerPayload(form, isEmailAsked, affCode), {
        turnstile: human.turnstile,
      }),
    meta: { isSaidElsewhere: () => true },
    onError: human.renew,
    onSuccess: () => {
      isSafe.current = true
      notifySuccess(t('register.done'))
      void navigate({ to: '/login' })
    },
  })
  const submit = () => {
    setChecked(true)
    const isGood = Object.keys(registerErrors(form, isEmailAsked)).length === 0
    if (isGood && human.isReady()) register.mutate()
  }
  const errors = isChecked ? registerErrors(form, isEmailAsked) : {}
  const change = (part: Partial<RegisterForm>) => setForm((old) => ({ ...old, ...part }))
  return (
    <AuthCard
      title={t('register.title')}
      heading={t('register.heading', { name: status?.system_name || 'Tollgate' })}
      notice={status?.self_use_mode_enabled ? t('register.closed') : undefined}
      footer={
        <>
          <Text color="fg.muted">{t('register.haveAccount')}</Text>
          <Link to="/login">{t('login.submit')}</Link>
        </>
      }
    >
      <Form onSubmit={submit}>
        <Stack gap="4">
          <FormError error={register.error} />
          {affCode ? (
            <Text color="fg.muted" overflowWrap="anywhere">
              {t('register.invited', { code: affCode })}
            </Text>
          ) : null}
          <Account form={form} errors={errors} change={change} />
          {isEmailAsked ? (
            <MailedCode form={form} errors={errors} change={change} human={human} />
          ) : null}
          {human.box}
          <BusyButton type="submit" size="sm" isBusy={register.isPending}>
            {t('register.submit')}
          </BusyButton>
        </Stack>
      </Form>
      <OfferedProviders />
      <LazyLeaveGuard isTyped={!isSameForm(form, EMPTY)} isSafe={isSafe} />
    </AuthCard>
  )
}

interface Part {
  readonly form: RegisterForm
  readonly errors: RegisterErrors
  readonly change: (part: Partial<RegisterForm>) => void
}

function Account({ form, errors, change }: Part) {
  const { t } = useTranslation()
  return (
    <>
      <TextField
        label={t('register.username')}
        value={form.username}
        onChange={(username) => change({ username })}
        autoComplete="username"
        isFocused
        error={errors.username && t(`register.username_${errors.username}`)}
      />
      <PasswordField
        label={t('register.password')}
        value={form.password}
        onChange={(password) => change({ password })}
        autoComplete="new-password"
        placeholder={t('register.passwordHint')}
        error={errors.password && t(`register.password_${errors.password}`)}
      />
      <PasswordField
        label={t('register.confirm')}
        value={form.password2}
        onChange={(password2) => change({ password2 })}
        autoComplete="new-password"
        error={errors.password2 && t('register.mismatch')}
      />
    </>
  )
}

/** The address, the button that mails a code there, and the code. */
function MailedCode({ form, errors, change, human }: Part & { human: HumanCheckState }) {
  const { t } = useTranslation()
  const hasNoMail = useStatus()?.email_enabled === false
  const countdown = useCountdown()
  const [isEmailMissing, setEmailMissing] = useState(false)
  const send = useMutation({
    mutationFn: () =>
      get('/api/verification', { email: form.email.trim(), turnstile: human.turnstile }),
    meta: { isSaidElsewhere: () => true },
    onError: human.renew,
    onSuccess: () => {
      human.accept()
      countdown.begin()
      notifySuccess(t('register.codeSent'))
    },
  })
  const sendCode = () => {
    setEmailMissing(form.email.trim() === '')
    if (form.email.trim() !== '' && human.isReady()) send.mutate()
  }
  const isMissing = errors.email !== undefined || (isEmailMissing && form.email.trim() === '')
  return (
    <>
      <Flex gap="2" align="flex-end">
        <TextField
          label={t('register.email')}
          type="email"
          value={form.email}
          onChange={(email) => change({ email })}
          autoComplete="email"
          error={isMissing ? t('register.email_missing') : send.error?.message}
        />
        {hasNoMail ? null : (
          <CountdownButton
            left={countdown.left}
            label={send.isSuccess ? t('register.sendAgain') : t('register.sendCode')}
            size="sm"
            variant="outline"
            flexShrink="0"
            alignSelf="flex-start"
            mt="25px"
            isBusy={send.isPending}
            onClick={sendCode}
          />
        )}
      </Flex>
      {hasNoMail ? <Text color="fg.muted">{t('register.noMail')}</Text> : null}
      <TextField
        label={t('register.code')}
        value={form.code}
        onChange={(code) => change({ code })}
        autoComplete="one-time-code"
        error={errors.code && t('register.code_missing')}
      />
    </>
  )
}
