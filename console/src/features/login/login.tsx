import { Box, Button, Heading, Stack, Text } from '@chakra-ui/react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { post } from '../../core/api.ts'
import type { SessionUser } from '../../core/contract.ts'
import { ROLE_ROOT } from '../../core/contract.ts'
import { setSessionUser } from '../../core/session.ts'
import { useStatus } from '../../core/status.ts'
import { TextField } from '../../parts/fields.tsx'
import { notifyInfo } from '../../parts/notify.tsx'
import { Panel } from '../../parts/page.tsx'
import type { LoginSearch } from './login-search.ts'
import { Form } from '../../parts/form/form.tsx'

/** Hardly anybody sees it, so hardly anybody should wait for it. */
const ConfirmDialog = lazy(async () => ({
  default: (await import('../../parts/confirm-dialog.tsx')).ConfirmDialog,
}))
/** Only installations that ask for it load it. */
const HumanCheck = lazy(async () => ({
  default: (await import('../../parts/human-check.tsx')).HumanCheck,
}))

/** The password that old installations started with; signing in with it as root is warned about (seeds, section 5). */
const DEFAULT_ROOT = { username: 'root', password: '123456' }

/** Sign-in by username (or e-mail) and password. Afterwards: where the visitor wanted to go, else the tokens. */
export function Login({ search }: { search: LoginSearch }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const router = useRouter()
  const status = useStatus()
  const systemName = status?.system_name || 'Tollgate'
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [isIncomplete, setIncomplete] = useState(false)
  const [isWarning, setWarning] = useState(false)
  const human = useHumanToken()

  const enter = () => {
    if (search.next) router.history.push(search.next)
    else void navigate({ to: '/token' })
  }
  const queryClient = useQueryClient()
  const signIn = useMutation({
    mutationFn: () =>
      post<SessionUser>(`/api/user/login?turnstile=${encodeURIComponent(human.token ?? '')}`, {
        username: username.trim(),
        password,
      }),
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
    if (!isFilled) return
    if (status?.turnstile_check && human.token === null) notifyInfo(t('login.humanCheckWaits'))
    else signIn.mutate()
  }

  return (
    <Box maxW="380px" mx="auto" px={{ base: '3', md: '4' }} pt={{ base: '8', md: '20' }}>
      <title>{`${t('login.title')} · ${systemName}`}</title>
      <Heading as="h1" size="xl" mb="4" letterSpacing="-0.015em">
        {t('login.heading', { name: systemName })}
      </Heading>
      {search.expired ? (
        <Text
          as="output"
          display="block"
          bg="bg.warning"
          color="fg.warning"
          borderRadius="l2"
          px="3"
          py="2"
          mb="4"
        >
          {t('login.expired')}
        </Text>
      ) : null}
      <Panel p={{ base: '4', md: '5' }}>
        <Form onSubmit={submit}>
          <Stack gap="4">
            <TextField
              label={t('login.username')}
              value={username}
              onChange={setUsername}
              autoComplete="username"
              error={isIncomplete && username.trim() === '' ? t('login.incomplete') : undefined}
            />
            <TextField
              label={t('login.password')}
              type="password"
              value={password}
              onChange={setPassword}
              autoComplete="current-password"
              error={isIncomplete && password === '' ? t('login.incomplete') : undefined}
            />
            {status?.turnstile_check ? (
              <Suspense>
                <HumanCheck
                  key={human.round}
                  siteKey={status.turnstile_site_key}
                  onToken={human.setToken}
                />
              </Suspense>
            ) : null}
            <Button type="submit" size="sm" loading={signIn.isPending}>
              {t('login.submit')}
            </Button>
          </Stack>
        </Form>
      </Panel>
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
    </Box>
  )
}

/** The human check's token, and how to ask for another one: the server takes each once. */
function useHumanToken() {
  const [token, setToken] = useState<string | null>(null)
  const [round, setRound] = useState(0)
  const renew = () => {
    setToken(null)
    setRound((last) => last + 1)
  }
  return { token, setToken, round, renew }
}
