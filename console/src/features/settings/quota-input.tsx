import { useState } from 'react'
import { amountText } from '../../parts/amount.ts'
import { AmountField } from '../../parts/amount-field.tsx'
import { parseQuota } from '../../parts/quota-format.ts'
import { useQuotaUnit } from '../../parts/quota.tsx'

/** An amount of quota, typed in the unit on show. What is no amount is handed on as typed, to be refused. */
export function QuotaInput(props: {
  label: string
  help: string | undefined
  text: string
  error: string | undefined
  onChange: (text: string) => void
}) {
  const { unit, quotaPerUnit } = useQuotaUnit()
  const [typed, setTyped] = useState('')
  const quotaOf = (text: string) => String(parseQuota(text, unit, quotaPerUnit) ?? text)
  // The typed text is shown as long as it means the kept amount; undo, reset and another unit show the amount anew.
  const isTyped = typed !== '' && quotaOf(typed) === props.text
  const value = /^\d+$/.test(props.text)
    ? amountText(Number(props.text), unit, quotaPerUnit)
    : props.text
  return (
    <AmountField
      label={props.label}
      value={isTyped ? typed : value}
      onChange={(next) => {
        setTyped(next)
        props.onChange(quotaOf(next))
      }}
      error={props.error}
      {...(props.help ? { help: props.help } : {})}
    />
  )
}
