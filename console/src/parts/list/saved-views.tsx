import { Button, chakra } from '@chakra-ui/react'
import { Bookmark } from 'lucide-react'
import { lazy } from 'react'
import { useTranslation } from 'react-i18next'
import { OnDemand } from '../on-demand.tsx'
import type { AnySearch } from './filters.ts'

const load = () => import('./views-popover.tsx')
const Views = lazy(load)

/** Filters and order under names of one's own, remembered in this browser. */
export function SavedViews(props: {
  list: string
  search: AnySearch
  onSearch: (search: AnySearch) => void
}) {
  const { t } = useTranslation()
  return (
    <OnDemand
      kind="dialog"
      load={load}
      button={
        <Button size="xs" variant="outline" aria-label={t('list.views')}>
          <Bookmark size={14} aria-hidden />
          <chakra.span hideBelow="lg">{t('list.views')}</chakra.span>
        </Button>
      }
    >
      {(button) => <Views button={button} {...props} />}
    </OnDemand>
  )
}
