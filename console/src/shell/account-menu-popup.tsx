import { useNavigate } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { useTranslation } from 'react-i18next'
import { get } from '../core/api.ts'
import { setSessionUser } from '../core/session.ts'
import MenuPopup from '../parts/menu-popup.tsx'
import { queryClient } from './query-client.ts'

/** The signed-in user's own menu: personal settings and signing out. Fetched on demand. */
export default function AccountMenuPopup({ button }: { button: ReactElement }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const signOut = async () => {
    // Signing out here must work even when the server cannot be reached, so its answer is not waited for in vain.
    await get('/api/user/logout').catch(() => undefined)
    setSessionUser(null)
    queryClient.clear()
    await navigate({ to: '/login' })
  }
  return (
    <MenuPopup
      button={button}
      entries={[
        ['personal', t('place.personal')],
        ['sign-out', t('frame.signOut')],
      ]}
      act={(action) => {
        void (action === 'personal' ? navigate({ to: '/personal' }) : signOut())
      }}
    />
  )
}
