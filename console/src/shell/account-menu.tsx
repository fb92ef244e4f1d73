import { Button, chakra, Menu } from '@chakra-ui/react'
import { useNavigate } from '@tanstack/react-router'
import { LogOut, UserRound } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { get } from '../core/api.ts'
import type { SessionUser } from '../core/contract.ts'
import { queryClient } from './query-client.ts'
import { setSessionUser } from '../core/session.ts'
import { PopupPortal } from '../parts/popup-portal.tsx'

/** The signed-in user's own menu: personal settings and signing out. */
export default function AccountMenu({ user }: { user: SessionUser }) {
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
    <Menu.Root lazyMount unmountOnExit positioning={{ placement: 'bottom-end' }}>
      <Menu.Trigger asChild>
        <Button
          size="xs"
          variant="ghost"
          px="1.5"
          aria-label={t('frame.account', { name: user.username })}
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
            {user.username.slice(0, 1).toUpperCase()}
          </chakra.span>
          <chakra.span hideBelow="md" maxW="12ch" truncate>
            {user.username}
          </chakra.span>
        </Button>
      </Menu.Trigger>
      <PopupPortal>
        <Menu.Positioner>
          <Menu.Content minW="40">
            <Menu.Item value="personal" onSelect={() => void navigate({ to: '/personal' })}>
              <UserRound size={14} aria-hidden />
              {t('place.personal')}
            </Menu.Item>
            <Menu.Item value="sign-out" onSelect={() => void signOut()}>
              <LogOut size={14} aria-hidden />
              {t('frame.signOut')}
            </Menu.Item>
          </Menu.Content>
        </Menu.Positioner>
      </PopupPortal>
    </Menu.Root>
  )
}
