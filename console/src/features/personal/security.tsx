import { Button, Flex } from '@chakra-ui/react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Self } from '../../core/contract.ts'
import { Card } from '../../parts/card.tsx'
import { AccessToken } from './access-token.tsx'
import { ChangePassword } from './change-password.tsx'
import { DeleteAccount } from './delete-account.tsx'

/** Password, system access token, and the end of the account. */
export function Security({ self }: { self: Self }) {
  const { t } = useTranslation()
  const [open, setOpen] = useState<'password' | 'delete' | null>(null)
  const close = () => setOpen(null)
  return (
    <Card title={t('personal.security')}>
      <AccessToken hasOne={self.access_token !== null} />
      <Flex gap="2" wrap="wrap" mt="4" pt="4" borderTopWidth="1px" borderColor="border.muted">
        <Button size="sm" variant="outline" onClick={() => setOpen('password')}>
          {t('personal.changePassword')}
        </Button>
        <Button size="sm" variant="outline" color="fg.error" onClick={() => setOpen('delete')}>
          {t('personal.deleteAccount')}
        </Button>
      </Flex>
      {open === 'password' ? <ChangePassword onClose={close} /> : null}
      {open === 'delete' ? (
        <DeleteAccount username={self.username} quota={self.quota} onClose={close} />
      ) : null}
    </Card>
  )
}
