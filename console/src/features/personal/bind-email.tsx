import { Box, Button, Heading, Stack, Text } from '@chakra-ui/react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { get } from '../../core/api.ts'
import { selfQuery, useStatus } from '../../core/status.ts'
import { TextField } from '../../parts/fields.tsx'
import { Form } from '../../parts/form/form.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { Panel } from '../../parts/page.tsx'

/** Only installations that ask for it load it. */
const HumanCheck = lazy(async () => ({
  default: (await import('../../parts/human-check.tsx')).HumanCheck,
}))

const EMPTY = { email: '', code: '', password: '' }

/** Binds an e-mail by the code that is mailed there; in place of another one the password is asked for. */
export function BindEmail() {
  const { t } = useTranslation()
  const status = useStatus()
  const client = useQueryClient()
  const self = useQuery(selfQuery)
  const [form, setForm] = useState(EMPTY)
  const [turnstile, setTurnstile] = useState<string | null>(null)
  const [round, setRound] = useState(1)
  const [isChecked, setChecked] = useState(false)
  const present = self.data?.email ?? ''
  const send = useMutation({
    mutationFn: () =>
      get('/api/verification', { email: form.email.trim(), turnstile: turnstile ?? '' }),
    onSuccess: () => notifySuccess(t('personal.codeSent')),
    onSettled: () => {
      setTurnstile(null)
      setRound((last) => last + 1)
    },
  })
  const bind = useMutation({
    mutationFn: () =>
      get('/api/oauth/email/bind', {
        email: form.email.trim(),
        code: form.code.trim(),
        password: form.password,
      }),
    onSuccess: async () => {
      notifySuccess(t('personal.emailBound'))
      setForm(EMPTY)
      setChecked(false)
      await client.invalidateQueries(selfQuery)
    },
  })
  const errors = {
    email: form.email.includes('@') ? undefined : t('personal.emailNeeded'),
    code: form.code.trim() === '' ? t('personal.codeNeeded') : undefined,
  }
  const submit = () => {
    setChecked(true)
    if (errors.email === undefined && errors.code === undefined) bind.mutate()
  }
  const field = (key: keyof typeof EMPTY, error?: string) => ({
    value: form[key],
    onChange: (value: string) => setForm((old) => ({ ...old, [key]: value })),
    error: isChecked ? error : undefined,
  })
  if (!self.data) return null
  return (
    <Panel p="5">
      <Heading as="h2" size="sm" mb="1">
        {t('personal.email')}
      </Heading>
      <Text color="fg.muted" mb="3" overflowWrap="anywhere">
        {present === '' ? t('personal.noEmail') : t('personal.emailNow', { email: present })}
      </Text>
      <Form onSubmit={submit}>
        <Stack gap="4">
          <TextField
            label={t('personal.newEmail')}
            autoComplete="email"
            {...field('email', errors.email)}
          />
          {status?.turnstile_check ? (
            <Suspense>
              <HumanCheck key={round} siteKey={status.turnstile_site_key} onToken={setTurnstile} />
            </Suspense>
          ) : null}
          <Box>
            <Button
              size="sm"
              variant="outline"
              loading={send.isPending}
              disabled={errors.email !== undefined}
              onClick={() => send.mutate()}
            >
              {t('personal.sendCode')}
            </Button>
          </Box>
          <TextField
            label={t('personal.emailCode')}
            autoComplete="one-time-code"
            {...field('code', errors.code)}
          />
          {present === '' ? null : (
            <TextField
              label={t('personal.originalPassword')}
              type="password"
              autoComplete="current-password"
              help={t('personal.emailPasswordHelp')}
              {...field('password')}
            />
          )}
          <Box>
            <Button type="submit" size="sm" loading={bind.isPending}>
              {present === '' ? t('personal.bindEmail') : t('personal.changeEmail')}
            </Button>
          </Box>
        </Stack>
      </Form>
    </Panel>
  )
}
