import { Button } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { DialogFrame } from '../../parts/dialog-frame.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { UserFacts } from '../../parts/users/user-facts.tsx'
import { userQuery } from './queries.ts'

/** The dialog with the account of a row’s user, for administrators (seeds, section 2). */
export default function UserDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation()
  const user = useQuery(userQuery(id))
  return (
    <DialogFrame
      title={user.data?.username ?? t('log.userTitle', { id: String(id) })}
      onClose={onClose}
      actions={
        <>
          <Button asChild size="sm" variant="outline">
            <Link to="/user" search={{ row: String(id) }}>
              {t('log.openUser')}
            </Link>
          </Button>
          <Button size="sm" onClick={onClose}>
            {t('action.close')}
          </Button>
        </>
      }
    >
      {user.data ? (
        <UserFacts user={user.data} />
      ) : user.error ? (
        <ErrorState error={user.error} onRetry={() => void user.refetch()} />
      ) : (
        <SkeletonRows rows={8} height="20px" />
      )}
    </DialogFrame>
  )
}
