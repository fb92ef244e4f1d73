import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { BusyButton } from '../../parts/busy-button.tsx'
import { Card } from '../../parts/card.tsx'
import { SessionList } from '../../parts/sessions/session-list.tsx'
import { sessionsQuery, useEndSession } from '../../parts/sessions/use-sessions.ts'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'

/** Where one is signed in, and how that is ended from here. */
export function Sessions() {
  const { t } = useTranslation()
  const query = useQuery(sessionsQuery())
  const end = useEndSession()
  const sessions = query.data ?? []
  return (
    <Card
      title={t('session.title')}
      action={
        sessions.length > 1 ? (
          <BusyButton
            size="xs"
            variant="outline"
            isBusy={end.isPending}
            onClick={() => end.mutate(null)}
          >
            {t('personal.endOthers')}
          </BusyButton>
        ) : null
      }
    >
      {query.isPending ? <SkeletonRows rows={2} height="44px" /> : null}
      {query.isError && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : null}
      <SessionList
        sessions={sessions}
        isBusy={end.isPending}
        onEnd={(session) => end.mutate(session)}
      />
    </Card>
  )
}
