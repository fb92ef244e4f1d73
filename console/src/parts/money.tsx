import { chakra } from '@chakra-ui/react'
import { moneyText } from './quota-format.ts'
import { useExactHint, useQuotaUnit } from './quota.tsx'

/** What stands where a figure is not known: it is loading, or could not be read. Never a zero. */
export const UNKNOWN = '–'

/**
 * An amount for cards, tags and facts. `balance` is never shown higher than it is; `change` carries its sign, and colour
 * supports the sign. `undefined` is an amount that is not known. Hovering or focusing shows both units exactly.
 */
export function Money(props: {
  value: number | undefined
  kind?: 'amount' | 'balance' | 'change'
}) {
  const { value, kind = 'amount' } = props
  const { unit, quotaPerUnit } = useQuotaUnit()
  const hint = useExactHint()
  if (value === undefined) return UNKNOWN
  const { head, tail } = moneyText(
    value,
    unit,
    quotaPerUnit,
    kind === 'balance' ? 'balance' : 'amount',
  )
  const isChange = kind === 'change' && value !== 0
  return (
    <chakra.span
      data-hint={hint(value)}
      fontVariantNumeric="tabular-nums"
      whiteSpace="nowrap"
      {...(isChange ? { color: value > 0 ? 'fg.success' : 'fg.error' } : {})}
    >
      {isChange && value > 0 ? `+${head}` : head}
      {tail ? (
        <chakra.span fontSize="0.78em" opacity="0.85" fontWeight="400">
          {tail}
        </chakra.span>
      ) : null}
    </chakra.span>
  )
}
