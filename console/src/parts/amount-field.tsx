import { Stack } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { amountText } from './amount.ts'
import { TextField } from './fields.tsx'
import { Presets } from './presets.tsx'
import { abbreviateRound, grouped, moneyString, parseQuota } from './quota-format.ts'
import { useQuotaUnit, useUnitName } from './quota.tsx'

/**
 * An amount typed in the unit on show, which the label names; below it what that is in the other unit, and amounts
 * offered with one click. `value` is the text as typed (`amountText` makes one, `parseQuota` reads it).
 */
export function AmountField(props: {
  label: string
  value: string
  onChange: (value: string) => void
  /** In quota. */
  presets?: readonly number[]
  /** The presets are added to what the field holds, instead of put in its place. */
  isAdding?: boolean
  help?: string
  error?: string | undefined
  isRequired?: boolean
  isDisabled?: boolean
}) {
  const { t } = useTranslation()
  const { unit, quotaPerUnit, exactHint } = useQuotaUnit()
  const unitName = useUnitName()
  const quota = parseQuota(props.value, unit, quotaPerUnit)
  const other = unit === 'quota' ? 'currency' : 'quota'
  const equal =
    quota === null
      ? ''
      : other === 'currency'
        ? moneyString(quota, 'currency', quotaPerUnit)
        : t('amount.quota', { quota: grouped(quota, 0) })
  return (
    <Stack gap="1.5">
      <TextField
        label={t('amount.label', { label: props.label, unit: unitName })}
        inputMode={unit === 'quota' ? 'numeric' : 'decimal'}
        value={props.value}
        onChange={props.onChange}
        error={props.error}
        isRequired={props.isRequired ?? false}
        isDisabled={props.isDisabled ?? false}
        help={[equal === '' ? '' : `= ${equal}`, props.help].filter(Boolean).join(' · ')}
      />
      {props.presets ? (
        <Presets
          values={props.presets}
          present={props.isAdding ? null : quota}
          nameOf={(preset) =>
            (props.isAdding ? '+' : '') +
            (unit === 'quota' ? abbreviateRound(preset) : moneyString(preset, unit, quotaPerUnit))
          }
          hintOf={exactHint}
          isDisabled={props.isDisabled ?? false}
          onChoose={(preset) =>
            props.onChange(
              amountText(props.isAdding ? (quota ?? 0) + preset : preset, unit, quotaPerUnit),
            )
          }
        />
      ) : null}
    </Stack>
  )
}
