import { chakra } from '@chakra-ui/react'
import { useMutation } from '@tanstack/react-query'
import { Braces, Download } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Query } from '../core/api.ts'
import { getFile } from '../core/api.ts'
import { BusyButton } from './busy-button.tsx'
import { saveFile } from './save-file.ts'
import { dateOf } from './time-format.ts'

/** Saves all rows of a list that its filters let through, written by the server in one call. */
export function ExportButton(props: {
  /** The file's name, without date and ending. */
  name: string
  /** Asked at the click, so that a range up to now ends then. */
  list: () => { path: string; query: Query }
  /** CSV unless said otherwise. */
  format?: 'csv' | 'jsonl'
  size?: 'xs' | 'sm'
}) {
  const { t } = useTranslation()
  const { format = 'csv' } = props
  const Icon = format === 'csv' ? Download : Braces
  const label = t(format === 'csv' ? 'list.export' : 'list.exportLines')
  const save = useMutation({
    mutationFn: () => {
      const { path, query } = props.list()
      return getFile(path, query, format === 'csv' ? 'text/csv' : 'application/x-ndjson')
    },
    onSuccess: (file) => saveFile(`${props.name}-${dateOf(Date.now() / 1000)}.${format}`, file),
  })
  return (
    <BusyButton
      size={props.size ?? 'sm'}
      variant="outline"
      aria-label={label}
      isBusy={save.isPending}
      onClick={() => save.mutate()}
    >
      <Icon size={15} aria-hidden />
      <chakra.span hideBelow="sm">{label}</chakra.span>
    </BusyButton>
  )
}
