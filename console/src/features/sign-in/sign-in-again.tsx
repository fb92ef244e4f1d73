import { Button, Stack, Text } from '@chakra-ui/react'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { leaveForLogin, post } from '../../core/api.ts'
import { adoptStoredUser, setSessionUser, useSessionUser } from '../../core/session.ts'
import { FormError } from '../../parts/auth-card.tsx'
import { BusyButton } from '../../parts/busy-button.tsx'
import { DialogFrame } from '../../parts/dialog-frame.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Link } from '../../parts/late/link.ts'
import { PasswordField } from '../../parts/password-field.tsx'
import { useHumanCheck } from '../../parts/use-human-check.tsx'

/**
 * The sign-in over a page whose session ended: the same user's password, or a sign-in of any other kind in a new tab,
 * which this one notices. Only "Sign out" gives up what is on the page.
 */
export function SignInAgain() {
  const { t } = useTranslation()
  const form = useId()
  const username = useSessionUser()?.username ?? ''
  const [password, setPassword] = useState('')
  const [isMissing, setMissing] = useState(false)
  const human = useHumanCheck()
  const signIn = useMutation({
    mutationFn: () =>
      post('/api/user/login', { username, password }, { turnstile: human.turnstile }),
    meta: { isSaidElsewhere: () => true },
    onError: human.renew,
    onSuccess: setSessionUser,
  })
  const submit = () => {
    setMissing(password === '')
    if (password !== '' && human.isReady()) signIn.mutate()
  }
  useEffect(() => {
    window.addEventListener('storage', adoptStoredUser)
    return () => window.removeEventListener('storage', adoptStoredUser)
  }, [])
  return (
    <DialogFrame
      title={t('signInAgain.title')}
      isModalOnly
      focusedForm={form}
      // Escape would leave a page that answers nothing.
      onClose={() => undefined}
      actions={
        <>
          <Button size="sm" variant="outline" onClick={leaveForLogin}>
            {t('frame.signOut')}
          </Button>
          <BusyButton size="sm" type="submit" form={form} isBusy={signIn.isPending}>
            {t('login.submit')}
          </BusyButton>
        </>
      }
    >
      <Form id={form} onSubmit={submit}>
        <Stack gap="4">
          <Text>{t('signInAgain.text', { name: username })}</Text>
          <FormError error={signIn.error} />
          <PasswordField
            label={t('login.password')}
            value={password}
            onChange={setPassword}
            autoComplete="current-password"
            error={isMissing ? t('signInAgain.missing') : undefined}
          />
          {/* Password managers look for the name beside the password. */}
          <input hidden readOnly autoComplete="username" value={username} />
          {human.box}
          <Link href="/login" target="_blank" color="teal.fg" alignSelf="start">
            {t('signInAgain.otherWay')}
          </Link>
        </Stack>
      </Form>
    </DialogFrame>
  )
}
