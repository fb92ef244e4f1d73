import { FIGURE } from './figure-style.ts'
import { UNKNOWN } from './money.tsx'
import { abbreviate, grouped } from './quota-format.ts'

/**
 * A number of tokens, requests or people, with thousands apart; `isShort` writes k, M, B and keeps the number for the
 * hint. `undefined` is a number that is not known.
 */
export function Count({ value, isShort }: { value: number | undefined; isShort?: boolean }) {
  if (value === undefined) return UNKNOWN
  return (
    <span style={FIGURE} {...(isShort ? { 'data-hint': grouped(value, 0) } : {})}>
      {isShort ? abbreviate(value) : grouped(value, 0)}
    </span>
  )
}
