import { Button, chakra } from '@chakra-ui/react'
import { Plus, X } from 'lucide-react'
import { lazy } from 'react'
import { useTranslation } from 'react-i18next'
import { OnDemand } from '../on-demand.tsx'
import { moneyString } from '../quota-format.ts'
import { useQuotaUnit } from '../quota.tsx'
import { momentText } from '../time-format.ts'
import type { Filter } from './filters.ts'

/** A filter with what it holds. */
export interface ChipProps {
  readonly filter: Filter
  readonly value: string | number | undefined
  readonly onChange: (value: string | number | undefined) => void
}

const load = () => import('./filter-popover.tsx')
const Popover = lazy(load)

/** A filter as a chip that says what it holds; a click opens its field, the cross empties it. */
export function FilterChip(props: ChipProps) {
  const { t } = useTranslation()
  const { filter, onChange } = props
  const label = t(filter.label)
  const shown = useShownValue(props)
  return (
    <chakra.fieldset display="flex" aria-label={label}>
      <OnDemand
        kind="dialog"
        load={load}
        button={
          <Button
            size="xs"
            variant={shown ? 'subtle' : 'outline'}
            {...(shown ? { borderEndRadius: '0' } : { borderStyle: 'dashed', color: 'fg.muted' })}
          >
            {shown ? null : <Plus size={12} aria-hidden />}
            {shown ? t('list.chip', { label, value: shown }) : label}
          </Button>
        }
      >
        {(button) => <Popover button={button} {...props} />}
      </OnDemand>
      {shown ? (
        <Button
          size="xs"
          px="1"
          minW="0"
          variant="subtle"
          borderStartRadius="0"
          aria-label={t('list.clearFilter', { label })}
          onClick={() => onChange(undefined)}
        >
          <X size={13} aria-hidden />
        </Button>
      ) : null}
    </chakra.fieldset>
  )
}

/** The text of a chip's value; empty without one. */
function useShownValue({ filter, value }: ChipProps): string {
  const { t } = useTranslation()
  const { unit, quotaPerUnit } = useQuotaUnit()
  if (value === undefined) return ''
  if (filter.kind === 'amount') return moneyString(Number(value), unit, quotaPerUnit)
  if (filter.kind === 'moment') return momentText(Number(value))
  const option = filter.options?.find((one) => one.value === String(value))
  return option ? t(option.label) : String(value)
}
