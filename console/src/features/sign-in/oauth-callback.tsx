import { Stack, Text } from '@chakra-ui/react'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { callEnvelope } from '../../core/api.ts'
import { sessionUser } from '../../core/session.ts'
import { AuthCard } from '../../parts/auth-card.tsx'
import { takeNext } from '../../parts/leave-for-provider.ts'
import { notifyFailure, notifySuccess } from '../../parts/notify.tsx'
import { callbackPath, type CallbackProvider } from './callback-query.ts'
import { useEnter } from './use-enter.ts'

/** How long a failure is shown before the page moves on (seeds, section 9). */
const REDIRECT_DELAY_MS = 1500

/** Where each way of signing in leads when nothing else was asked for (seeds, screens and routes). */
const PLACE_AFTER = { github: '/token', oidc: '/token', linuxdo: '/token', telegram: '/' } as const

/**
 * Where a provider sends the browser back to: finishes the sign-in, or the binding for somebody who is signed in (seeds,
 * section 4). State and code are good once, so they are sent once.
 */
export function OAuthCallback({ provider }: { provider: CallbackProvider }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const enter = useEnter()
  const isBegun = useRef(false)
  const { mutate, error } = useMutation({
    mutationFn: () => callEnvelope('GET', callbackPath(provider, location.search)),
    meta: { isSaidElsewhere: () => true },
    onSuccess: ({ message, data }) => {
      if (message === 'bind' || !data) {
        notifySuccess(t('provider.bound'))
        void navigate({ to: '/setting', replace: true })
      } else enter(data, takeNext() || PLACE_AFTER[provider])
    },
    onError: (failure) => {
      // The one place that says why: it stays while the page moves on.
      notifyFailure(failure)
      // Settings are for those who are signed in: a visitor would only be led on from there.
      const to = sessionUser() ? '/setting' : '/login'
      setTimeout(() => void navigate({ to, replace: true }), REDIRECT_DELAY_MS)
    },
  })
  useEffect(() => {
    if (isBegun.current) return
    isBegun.current = true
    mutate()
  }, [mutate])
  return (
    <AuthCard title={t('login.title')} heading={t('provider.finishing')}>
      <Stack gap="3" aria-live="polite">
        <Text color="fg.muted">{error ? t('provider.failed') : t('provider.wait')}</Text>
      </Stack>
    </AuthCard>
  )
}
