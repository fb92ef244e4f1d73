import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { SelectField } from '../../../parts/choice-fields.tsx'
import { finishedQuery } from './source-queries.ts'

/** One of the dashboard's sources: live data, or a finished replay by its name. */
export function SourceSelect(props: {
  label: string
  /** `live`, a replay's id, or '' for none. */
  value: string
  isOptional?: boolean
  onChange: (value: string) => void
}) {
  const { t } = useTranslation()
  const { data: replays } = useQuery(finishedQuery)
  const isListed = ['', 'live'].includes(props.value)
  const options = [
    ...(props.isOptional ? [{ value: '', label: t('sources.none') }] : []),
    { value: 'live', label: t('sources.live') },
    ...(replays ?? []).map(({ id, name }) => ({ value: id, label: name })),
    // One that is chosen, and not in the list: not read yet, not finished, or gone.
    ...(isListed || replays?.some(({ id }) => id === props.value)
      ? []
      : [{ value: props.value, label: '…' }]),
  ]
  return (
    <SelectField
      label={props.label}
      value={props.value}
      onChange={props.onChange}
      options={options}
      {...(replays?.length === 0 ? { help: t('sources.noReplays') } : {})}
    />
  )
}
