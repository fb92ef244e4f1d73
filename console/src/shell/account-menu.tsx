import type { ButtonProps } from '@chakra-ui/react'
import { Button, chakra } from '@chakra-ui/react'
import { lazy } from 'react'
import { useTranslation } from 'react-i18next'
import type { SessionUser } from '../core/contract.ts'
import { OnDemand } from '../parts/on-demand.tsx'

const load = () => import('./account-menu-popup.tsx')
const Popup = lazy(load)

/** The signed-in user's own menu. */
export function AccountMenu({ user }: { user: SessionUser }) {
  return (
    <OnDemand kind="menu" load={load} button={<AccountButton account={user.username} />}>
      {(button) => <Popup button={button} />}
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
