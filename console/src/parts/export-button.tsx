import { Button, chakra } from '@chakra-ui/react'
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Query } from '../core/api.ts'
import { getCsv } from '../core/api.ts'
import { saveFile } from './save-file.ts'
import { dateOf } from './time-format.ts'

/** Saves all rows of a list that its filters let through, written by the server in one call. */
export function ExportButton(props: {
  /** Of the file, without date and ending. */
  name: string
  /** Asked at the click, so that a range up to now ends then. */
  list: () => { path: string; query: Query }
}) {
  const { t } = useTranslation()
  const save = useMutation({
    mutationFn: () => {
      const { path, query } = props.list()
      return getCsv(path, query)
    },
    onSuccess: (csv) => saveFile(`${props.name}-${dateOf(Date.now() / 1000)}.csv`, csv),
  })
  return (
    <Button
      size="sm"
      variant="outline"
      aria-label={t('list.export')}
      loading={save.isPending}
      onClick={() => save.mutate()}
    >
      <Download size={15} aria-hidden />
      <chakra.span hideBelow="sm">{t('list.export')}</chakra.span>
    </Button>
  )
}
