import { chakra } from '@chakra-ui/react'
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { lazy } from 'react'
import { useTranslation } from 'react-i18next'
import { getFile } from '../../core/api.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { OnDemand } from '../../parts/on-demand.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { dateOf } from '../../parts/time-format.ts'
import type { Period, StatementSearch } from './filters.ts'
import { NOT_PRINTED } from './print.ts'
import { exportAt } from './queries.ts'

const load = () => import('../../parts/menu-popup.tsx')
const MenuPopup = lazy(load)

const LINES = ['csv', 'jsonl'] as const
const BOOKS = ['hledger', 'beancount'] as const

/** Saves what a statement shows as a ZIP with a manifest; a book of hledger or beancount has no filters. */
export function ExportMenu({ search, period }: { search: StatementSearch; period: Period }) {
  const { t } = useTranslation()
  const save = useMutation({
    mutationFn: (formats: string) => {
      const { path, query } = exportAt(search, period, formats)
      return getFile(path, query, 'application/zip')
    },
    onSuccess: (file) => {
      const whose = search.user === undefined ? '' : `-${search.user}`
      saveFile(`statement${whose}-${dateOf(period.from / 1000).slice(0, 10)}.zip`, file)
    },
  })
  const isFiltered = [search.term, search.token, search.model].some((one) => one !== undefined)
  const all = isFiltered ? LINES : [...LINES, ...BOOKS]
  const entries = [
    ...all.map((format) => [format, t(`statement.export_${format}`)] as const),
    [all.join(','), t('statement.export_all')] as const,
  ]
  const button = (
    <BusyButton
      size="sm"
      variant="outline"
      isBusy={save.isPending}
      aria-label={t('statement.export')}
      css={NOT_PRINTED}
    >
      <Download size={15} aria-hidden />
      <chakra.span hideBelow="sm">{t('statement.export')}</chakra.span>
    </BusyButton>
  )
  return (
    <OnDemand button={button} kind="menu" load={load}>
      {(opened) => (
        <MenuPopup button={opened} entries={entries} act={(formats) => save.mutate(formats)} />
      )}
    </OnDemand>
  )
}
