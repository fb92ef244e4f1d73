import { lazy, Suspense } from 'react'
import type { Status } from '../../core/contract.ts'
import { textsOf } from '../../core/i18n.ts'
import { useStatus } from '../../core/status.ts'

/** Installations that offer none load nothing of it, nor its texts. */
const Providers = lazy(async () => {
  const texts = textsOf('parts')()
  const { Providers } = await import('./providers.tsx')
  await texts
  return { default: Providers }
})

/** The other ways to sign in or up that this installation offers, below the form. */
export function OfferedProviders({ next = '' }: { next?: string }) {
  const status = useStatus()
  if (!status || !offersAny(status)) return null
  return (
    <Suspense>
      <Providers status={status} next={next} />
    </Suspense>
  )
}

const offersAny = (status: Status): boolean =>
  status.github_oauth ||
  status.oidc_enabled ||
  status.linuxdo_oauth ||
  status.wechat_login ||
  (status.telegram_oauth && status.telegram_bot_name !== '')
