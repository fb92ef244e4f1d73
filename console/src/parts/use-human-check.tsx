import { Box } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useStatus } from '../core/status.ts'
import { notifyInfo } from './notify.tsx'

/** Only installations that ask for it load it. */
const HumanCheck = lazy(async () => ({
  default: (await import('./human-check.tsx')).HumanCheck,
}))

/** The check that a human is at work, for one form. */
export interface HumanCheckState {
  /** For the call's query; '' when nothing is asked for. */
  readonly turnstile: string
  /** The place in the form; null when nothing is asked for. */
  readonly box: ReactNode
  /** Whether the call may go; says that it has to wait when not. */
  readonly isReady: () => boolean
  /** After a call that succeeded: the server does not ask this browser again for a while. */
  readonly accept: () => void
  /** After a call that failed: each token serves once, so another one is needed. */
  readonly renew: () => void
}

/** Shows the human check where the operator has switched it on, and keeps its token. */
export function useHumanCheck(): HumanCheckState {
  const { t } = useTranslation()
  const status = useStatus()
  const [token, setToken] = useState<string | null>(null)
  const [round, setRound] = useState(1)
  const [isAccepted, setAccepted] = useState(false)
  const isAsked = Boolean(status?.turnstile_check) && !isAccepted
  return {
    turnstile: isAsked ? (token ?? '') : '',
    box: isAsked ? (
      <Suspense fallback={<Box minH="65px" />}>
        <HumanCheck key={round} siteKey={status?.turnstile_site_key ?? ''} onToken={setToken} />
      </Suspense>
    ) : null,
    isReady: () => {
      if (!isAsked || token !== null) return true
      notifyInfo(t('login.humanCheckWaits'))
      return false
    },
    accept: () => setAccepted(true),
    renew: () => {
      setToken(null)
      setAccepted(false)
      setRound((last) => last + 1)
    },
  }
}
