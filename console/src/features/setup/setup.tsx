import { Box, Heading, Stack, Text } from '@chakra-ui/react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { get, post } from '../../core/api.ts'
import { setPreference } from '../../core/preferences.ts'
import { setSessionUser } from '../../core/session.ts'
import { FormError } from '../../parts/auth-card.tsx'
import { BusyButton } from '../../parts/busy-button.tsx'
import { TextField } from '../../parts/fields.tsx'
import { Form } from '../../parts/form/form.tsx'
import { isSameForm } from '../../parts/form/form-values.ts'
import { LazyLeaveGuard } from '../../parts/form/lazy-leave-guard.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { Panel } from '../../parts/page.tsx'
import { PasswordField } from '../../parts/password-field.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import type { SetupErrors, SetupForm } from './setup-rules.ts'
import { setupErrors, setupFailure, setupPayload } from './setup-rules.ts'
import { UsageMode } from './usage-mode.tsx'

/** How long the success message stays before the page loads afresh (seeds, section 9). */
const RELOAD_DELAY_MS = 1500

const EMPTY: SetupForm = { username: '', password: '', confirmPassword: '', mode: 'operation' }

/** The first-run wizard: the administrator's account and how this installation will be used. */
export function Setup() {
  const { t } = useTranslation()
  const status = useQuery({ queryKey: ['setup'], queryFn: () => get('/api/setup') })
  return (
    <Box maxW="560px" mx="auto" px="4" py={{ base: '6', md: '12' }}>
      <title>{t('setup.title')}</title>
      <Heading as="h1" size="xl" letterSpacing="-0.015em">
        {t('setup.title')}
      </Heading>
      <Text color="fg.muted" mb="6">
        {t('setup.intro')}
      </Text>
      {status.isPending ? <SkeletonRows rows={6} height="48px" /> : null}
      {status.isError ? (
        <ErrorState
          error={new Error(t('setup.statusFailed'), { cause: status.error })}
          onRetry={() => void status.refetch()}
        />
      ) : null}
      {status.data?.database_type === 'sqlite' ? <SqliteWarning /> : null}
      {status.data ? <Wizard hasRoot={status.data.root_init} /> : null}
    </Box>
  )
}

function SqliteWarning() {
  const { t } = useTranslation()
  return (
    <Box role="note" bg="bg.warning" color="fg.warning" borderRadius="l2" px="3" py="2" mb="5">
      <Text fontWeight="600">{t('setup.sqliteTitle')}</Text>
      <Text>{t('setup.sqliteText')}</Text>
    </Box>
  )
}

function Wizard({ hasRoot }: { hasRoot: boolean }) {
  const { t } = useTranslation()
  const [form, setForm] = useState(EMPTY)
  const [isChecked, setChecked] = useState(false)
  const [isLost, setLost] = useState(false)
  const formId = useId()
  const isSafe = useRef(false)
  const initialise = useMutation({
    mutationFn: () => setUp(form, hasRoot),
    meta: { isSaidElsewhere: () => true },
    onSuccess: () => {
      isSafe.current = true
      notifySuccess(t('setup.done'))
      // All first steps are to come: their line has its place from the first screen on.
      setPreference('first-steps', 'open')
      setTimeout(() => location.reload(), RELOAD_DELAY_MS)
    },
  })
  const failure = initialise.error ? setupFailure(initialise.error) : null
  const submit = () => {
    setChecked(true)
    if (Object.keys(setupErrors(form, hasRoot)).length === 0) initialise.mutate()
  }
  const change = (part: Partial<SetupForm>) => setForm((old) => ({ ...old, ...part }))
  return (
    <Form id={formId} onSubmit={submit}>
      <Stack gap="5">
        {hasRoot ? (
          <Text color="fg.muted">{t('setup.rootExists')}</Text>
        ) : (
          <Account
            form={form}
            errors={isChecked ? setupErrors(form, hasRoot) : {}}
            change={change}
          />
        )}
        <UsageMode value={form.mode} onChange={(mode) => change({ mode })} />
        <FormError
          error={
            isLost
              ? t('setup.formLost')
              : failure && (failure.message || t(`setup.${failure.name}`))
          }
        />
        <Box>
          <BusyButton
            type="submit"
            size="sm"
            form={formId}
            // An extension of the browser that rewrites the page may part the button from its form, which nothing sends then.
            onClick={(event) => setLost(event.currentTarget.form === null)}
            isBusy={initialise.isPending || initialise.isSuccess}
          >
            {t('setup.submit')}
          </BusyButton>
        </Box>
      </Stack>
      <LazyLeaveGuard
        // A mode is chosen again with one click.
        isTyped={!isSameForm(form, { ...EMPTY, mode: form.mode })}
        isSafe={isSafe}
      />
    </Form>
  )
}

/** Sets up and signs the new administrator in. When only the latter fails, the page is loaded afresh all the same. */
async function setUp(form: SetupForm, hasRoot: boolean): Promise<void> {
  const payload = setupPayload(form)
  await post('/api/setup', payload)
  if (hasRoot) return
  const { username, password } = payload
  const user = await post('/api/user/login', { username, password }).catch(() => null)
  if (user) setSessionUser(user)
}

function Account(props: {
  form: SetupForm
  errors: SetupErrors
  change: (part: Partial<SetupForm>) => void
}) {
  const { form, errors, change } = props
  const { t } = useTranslation()
  return (
    <Panel p="5">
      <Heading as="h2" size="sm" mb="3">
        {t('setup.account')}
      </Heading>
      <Stack gap="4">
        <TextField
          label={t('setup.username')}
          value={form.username}
          onChange={(username) => change({ username })}
          autoComplete="username"
          isFocused
          help={t('setup.usernameHelp')}
          error={errors.username ? t('setup.usernameMissing') : undefined}
        />
        <PasswordField
          label={t('setup.password')}
          value={form.password}
          onChange={(password) => change({ password })}
          autoComplete="new-password"
          help={t('setup.passwordHelp')}
          error={errors.password ? t('setup.passwordShort') : undefined}
        />
        <PasswordField
          label={t('setup.confirmPassword')}
          value={form.confirmPassword}
          onChange={(confirmPassword) => change({ confirmPassword })}
          autoComplete="new-password"
          error={errors.confirmPassword ? t('setup.mismatch') : undefined}
        />
      </Stack>
    </Panel>
  )
}
