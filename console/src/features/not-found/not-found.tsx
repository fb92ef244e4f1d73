import { Button } from '@chakra-ui/react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Page } from '../../parts/page.tsx'
import { EmptyState } from '../../parts/states.tsx'

/** Says that there is no such page and asks to check the address. */
export function NotFound() {
  const { t } = useTranslation()
  return (
    <Page title={t('notFound.title')}>
      <EmptyState
        title={location.pathname}
        detail={t('notFound.message')}
        action={
          <Button asChild size="sm" variant="outline" mt="2">
            <Link to="/">{t('notFound.home')}</Link>
          </Button>
        }
      />
    </Page>
  )
}
