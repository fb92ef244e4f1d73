import type { ButtonProps } from '@chakra-ui/react'
import { Button, chakra } from '@chakra-ui/react'
import { useNavigate } from '@tanstack/react-router'
import { lazy } from 'react'
import { useTranslation } from 'react-i18next'
import { get } from '../core/api.ts'
import type { SessionUser } from '../core/contract.ts'
import { setSessionUser } from '../core/session.ts'
import { OnDemand } from '../parts/on-demand.tsx'
import { queryClient } from './query-client.ts'

const load = () => import('../parts/menu-popup.tsx')
const Menu = lazy(load)

/** The signed-in user's own menu: personal settings and signing out. */
export function AccountMenu({ user }: { user: SessionUser }) {
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
    <OnDemand kind="menu" load={load} button={<AccountButton account={user.username} />}>
      {(button) => (
        <Menu
          button={button}
          entries={[
            ['personal', t('place.personal')],
            ['sign-out', t('frame.signOut')],
          ]}
          act={(action) => {
            void (action === 'personal' ? navigate({ to: '/personal' }) : signOut())
          }}
        />
      )}
    </OnDemand>
  )
}

function AccountButton({ account, ...rest }: ButtonProps & { account: string }) {
  const { t } = useTranslation()
  return (
    <Button
      size="xs"
      variant="ghost"
      px="1.5"
      aria-label={t('frame.account', { name: account })}
      {...rest}
    >
      <chakra.span
        display="grid"
        placeItems="center"
        boxSize="6"
        borderRadius="full"
        bg="teal.solid"
        color="white"
        fontSize="xs"
        fontWeight="600"
      >
        {account.slice(0, 1).toUpperCase()}
      </chakra.span>
      <chakra.span hideBelow="md" maxW="12ch" truncate>
        {account}
      </chakra.span>
    </Button>
  )
}
