import { ExactMoney } from './exact-money.tsx'
import { FIGURE } from './figure-style.ts'
import { moneyText } from './quota-format.ts'
import { useQuotaUnit } from './quota.tsx'

/** The sign for a figure that is not known: it is loading, or could not be read. Never a zero. */
export const UNKNOWN = '–'

/**
 * An amount for cards, tags and facts. `balance` is never shown higher than it is; `change` carries its sign, and colour
 * supports the sign; a `difference` of two prices or sources is neither gain nor loss and has its sign alone. `undefined`
 * is an amount that is not known. Hovering or focusing shows both units exactly.
 */
export function Money(props: {
  value: number | undefined
  kind?: 'amount' | 'balance' | 'change' | 'difference'
}) {
  const { value, kind = 'amount' } = props
  const { unit, quotaPerUnit, exactHint } = useQuotaUnit()
  if (value === undefined) return UNKNOWN
  const { head, tail } = moneyText(
    value,
    unit,
    quotaPerUnit,
    kind === 'balance' ? 'balance' : 'amount',
  )
  const isChange = kind === 'change' && value !== 0
  const hasSign = isChange || kind === 'difference'
  return (
    <span
      data-hint={exactHint(value)}
      style={isChange ? { ...FIGURE, color: value > 0 ? GAIN : LOSS } : FIGURE}
    >
      {hasSign && value > 0 ? `+${head}` : head}
      {tail ? <span style={TAIL}>{tail}</span> : null}
    </span>
  )
}

/** A sum of the books, as decimal text, with every digit; one that passes 2^53 in quota. */
export function BigMoney({ value, isInColumn }: { value: string; isInColumn?: boolean }) {
  const quota = Number(value)
  if (Number.isSafeInteger(quota))
    return <ExactMoney value={quota} {...(isInColumn ? { isInColumn } : {})} />
  return <span style={FIGURE}>{value.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')}</span>
}

const GAIN = 'var(--tg-colors-fg-success)'
const LOSS = 'var(--tg-colors-fg-error)'
const TAIL = { fontSize: '0.78em', opacity: 0.85, fontWeight: 400 } as const
