import { Stack } from '@chakra-ui/react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useRouter } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { post } from '../../core/api.ts'
import { ROLE_ROOT } from '../../core/contract.ts'
import { setSessionUser } from '../../core/session.ts'
import { useStatus } from '../../core/status.ts'
import { AuthCard, FormError } from '../../parts/auth-card.tsx'
import { BusyButton } from '../../parts/busy-button.tsx'
import { TextField } from '../../parts/fields.tsx'
import { Form } from '../../parts/form/form.tsx'
import { PasswordField } from '../../parts/password-field.tsx'
import { useHumanCheck } from '../../parts/use-human-check.tsx'
import type { LoginSearch } from './login-search.ts'
import { OfferedProviders } from './offered-providers.tsx'

/** Hardly anybody sees it, so hardly anybody should wait for it. */
const ConfirmDialog = lazy(async () => ({
  default: (await import('../../parts/confirm-dialog.tsx')).ConfirmDialog,
}))

/** The password that old installations started with; signing in with it as root is warned about (seeds, section 5). */
const DEFAULT_ROOT = { username: 'root', password: '123456' }

/** Sign-in by username (or e-mail) and password. Afterwards: where the visitor wanted to go, else the tokens. */
export function Login({ search }: { search: LoginSearch }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const router = useRouter()
  const status = useStatus()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [isIncomplete, setIncomplete] = useState(false)
  const [isWarning, setWarning] = useState(false)
  const human = useHumanCheck()

  const enter = () => {
    if (search.next) router.history.push(search.next)
    else void navigate({ to: '/token' })
  }
  const queryClient = useQueryClient()
  const signIn = useMutation({
    mutationFn: () =>
      post(
        '/api/user/login',
        { username: username.trim(), password },
        { turnstile: human.turnstile },
      ),
    meta: { isSaidElsewhere: () => true },
    onError: human.renew,
    onSuccess: (user) => {
      queryClient.clear()
      setSessionUser(user)
      const isDefault =
        username.trim() === DEFAULT_ROOT.username && password === DEFAULT_ROOT.password
      if (isDefault && user.role >= ROLE_ROOT) setWarning(true)
      else enter()
    },
  })
  const submit = () => {
    const isFilled = username.trim() !== '' && password !== ''
    setIncomplete(!isFilled)
    if (isFilled && human.isReady()) signIn.mutate()
  }

  return (
    <AuthCard
      title={t('login.title')}
      heading={t('login.heading', { name: status?.system_name || 'Tollgate' })}
      notice={search.expired ? t('login.expired') : undefined}
      footer={
        <>
          {status?.self_use_mode_enabled ? null : <Link to="/register">{t('login.register')}</Link>}
          <Link to="/reset">{t('login.forgot')}</Link>
        </>
      }
    >
      <Form onSubmit={submit}>
        <Stack gap="4">
          <FormError error={signIn.error} />
          <TextField
            label={t('login.username')}
            value={username}
            onChange={setUsername}
            autoComplete="username"
            isFocused
            error={isIncomplete && username.trim() === '' ? t('login.incomplete') : undefined}
          />
          <PasswordField
            label={t('login.password')}
            value={password}
            onChange={setPassword}
            autoComplete="current-password"
            error={isIncomplete && password === '' ? t('login.incomplete') : undefined}
          />
          {human.box}
          <BusyButton type="submit" size="sm" isBusy={signIn.isPending}>
            {t('login.submit')}
          </BusyButton>
        </Stack>
      </Form>
      <OfferedProviders next={search.next ?? ''} />
      {isWarning ? (
        <Suspense>
          <ConfirmDialog
            isOpen
            title={t('login.defaultPasswordTitle')}
            consequence={t('login.defaultPasswordText')}
            confirmLabel={t('login.changePassword')}
            onConfirm={() => void navigate({ to: '/personal' })}
            onClose={enter}
          />
        </Suspense>
      ) : null}
    </AuthCard>
  )
}
