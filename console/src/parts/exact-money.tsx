import { FIGURE } from './figure-style.ts'
import { grouped, moneyString } from './quota-format.ts'
import { useQuotaUnit } from './quota.tsx'

/** Writes amounts with every digit, in the unit that the reader chose. */
export function useExact(): (quota: number) => string {
  const { unit, quotaPerUnit } = useQuotaUnit()
  return (quota) =>
    unit === 'quota' ? grouped(quota, 0) : moneyString(quota, 'currency', quotaPerUnit)
}

/** An amount with every digit, for books: nothing is abbreviated or rounded. */
export function ExactMoney({ value }: { value: number }) {
  const exact = useExact()
  const { exactHint } = useQuotaUnit()
  return (
    <span data-hint={exactHint(value)} style={FIGURE}>
      {exact(value)}
    </span>
  )
}
