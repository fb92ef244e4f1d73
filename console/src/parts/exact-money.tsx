import { FIGURE } from './figure-style.ts'
import { exactQuota, grouped, moneyString } from './quota-format.ts'
import { useQuotaUnit } from './quota.tsx'

/** Writes amounts with every digit, in the unit that the reader chose. */
export function useExact(): (quota: number) => string {
  const { unit, quotaPerUnit } = useQuotaUnit()
  return (quota) =>
    unit === 'quota' ? grouped(quota, 0) : moneyString(quota, 'currency', quotaPerUnit)
}

/**
 * An amount with every digit, for books: nothing is abbreviated or rounded. Those of a column have the same number of
 * decimals, so that their points stand under each other.
 */
export function ExactMoney({ value, isInColumn = false }: { value: number; isInColumn?: boolean }) {
  const exact = useExact()
  const { exactHint, unit, quotaPerUnit } = useQuotaUnit()
  return (
    <span data-hint={exactHint(value)} style={FIGURE}>
      {isInColumn && unit === 'currency' ? exactQuota(value, quotaPerUnit).currency : exact(value)}
    </span>
  )
}
