import { Box, Button, Heading, Stack, Text } from '@chakra-ui/react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { get, post } from '../../core/api.ts'
import type { SetupStatus } from '../../core/contract.ts'
import { TextField } from '../../parts/fields.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { Panel } from '../../parts/page.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import type { SetupForm } from './setup-rules.ts'
import { setupErrors, setupPayload } from './setup-rules.ts'
import { UsageMode } from './usage-mode.tsx'
import { Form } from '../../parts/form/form.tsx'

/** How long the success message stays before the page starts afresh (seeds, section 9). */
const RELOAD_DELAY_MS = 1500

const EMPTY: SetupForm = { username: '', password: '', confirmPassword: '', mode: 'operation' }

/** The first-run wizard: the administrator's account and how this installation will be used. */
export function Setup() {
  const { t } = useTranslation()
  const status = useQuery({ queryKey: ['setup'], queryFn: () => get<SetupStatus>('/api/setup') })
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
        <ErrorState error={status.error} onRetry={() => void status.refetch()} />
      ) : null}
      {status.data ? <Wizard hasRoot={status.data.root_init} /> : null}
    </Box>
  )
}

function Wizard({ hasRoot }: { hasRoot: boolean }) {
  const { t } = useTranslation()
  const [form, setForm] = useState(EMPTY)
  const [isChecked, setChecked] = useState(false)
  const errors = isChecked ? setupErrors(form, hasRoot) : {}
  const initialise = useMutation({
    mutationFn: () => post('/api/setup', setupPayload(form)),
    onSuccess: () => {
      notifySuccess(t('setup.done'))
      setTimeout(() => location.assign('/login'), RELOAD_DELAY_MS)
    },
  })
  const submit = () => {
    setChecked(true)
    if (Object.keys(setupErrors(form, hasRoot)).length === 0) initialise.mutate()
  }
  const change = (part: Partial<SetupForm>) => setForm((old) => ({ ...old, ...part }))
  return (
    <Form onSubmit={submit}>
      <Stack gap="5">
        {hasRoot ? (
          <Text color="fg.muted">{t('setup.rootExists')}</Text>
        ) : (
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
                error={errors.username ? t('setup.usernameMissing') : undefined}
              />
              <TextField
                label={t('setup.password')}
                type="password"
                value={form.password}
                onChange={(password) => change({ password })}
                autoComplete="new-password"
                help={t('setup.passwordHelp')}
                error={errors.password ? t('setup.passwordShort') : undefined}
              />
              <TextField
                label={t('setup.confirmPassword')}
                type="password"
                value={form.confirmPassword}
                onChange={(confirmPassword) => change({ confirmPassword })}
                autoComplete="new-password"
                error={errors.confirmPassword ? t('setup.mismatch') : undefined}
              />
            </Stack>
          </Panel>
        )}
        <UsageMode value={form.mode} onChange={(mode) => change({ mode })} />
        <Box>
          <Button type="submit" size="sm" loading={initialise.isPending || initialise.isSuccess}>
            {t('setup.submit')}
          </Button>
        </Box>
      </Stack>
    </Form>
  )
}
