import { Button } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { get } from '../../core/api.ts'
import { useIsRoot } from '../../core/session.ts'
import { useStatus } from '../../core/status.ts'
import { OperatorContent } from '../../parts/operator-content.tsx'
import { Page } from '../../parts/page.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../parts/states.tsx'

/** The operator's text about themselves. */
export function About() {
  const { t } = useTranslation()
  const isRoot = useIsRoot()
  const systemName = useStatus()?.system_name || 'Tollgate'
  const about = useQuery({
    queryKey: ['about'],
    queryFn: ({ signal }) => get('/api/about', undefined, signal),
  })
  if (about.data)
    return (
      <>
        <title>{`${t('place.about')} · ${systemName}`}</title>
        <OperatorContent content={about.data} title={t('place.about')} />
      </>
    )
  return (
    <Page title={t('place.about')}>
      {about.isPending ? <SkeletonRows rows={6} height="24px" /> : null}
      {about.isError ? (
        <ErrorState
          error={new Error(t('about.failed'), { cause: about.error })}
          onRetry={() => void about.refetch()}
        />
      ) : null}
      {about.data === '' ? (
        <EmptyState
          title={t('about.emptyTitle')}
          detail={t('about.emptyDetail')}
          action={isRoot ? <SettingLink /> : null}
        />
      ) : null}
    </Page>
  )
}

function SettingLink() {
  const { t } = useTranslation()
  return (
    <Button asChild size="sm" variant="outline">
      <Link to="/setting" search={{ tab: 'other' }}>
        {t('about.set')}
      </Link>
    </Button>
  )
}
