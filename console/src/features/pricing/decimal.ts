/** A decimal number held exactly: digits × 10^−places. */
interface Decimal {
  readonly digits: bigint
  readonly places: number
}

/**
 * The exact product of numbers, read by their shortest decimal text (0.075 is 0.075, not the binary fraction nearest
 * to it), as a plain decimal text without trailing zeros.
 */
export function product(...factors: readonly number[]): string {
  const all = factors.map(decimalOf)
  const digits = all.reduce((value, factor) => value * factor.digits, 1n)
  const places = all.reduce((sum, factor) => sum + factor.places, 0)
  return textOf({ digits, places })
}

/**
 * A quotient as a number with at most 12 significant digits: ratios typed as prices have no more, and a repeating
 * fraction has to end somewhere.
 */
export function quotient(dividend: number, divisor: number): number {
  return Number((dividend / divisor).toPrecision(12))
}

/** The text with at most `places` digits after the point, rounded half up, and whether that lost anything. */
export function shortened(text: string, places: number): string {
  const [whole = '0', fraction = ''] = text.split('.')
  if (fraction.length <= places) return text
  const kept = BigInt(whole + fraction.slice(0, places))
  const isUp = (fraction[places] ?? '0') >= '5'
  return textOf({ digits: isUp ? kept + 1n : kept, places })
}

/** The text of an amount of money with at least two digits after the point. */
export function withCents(text: string): string {
  const [whole = '0', fraction = ''] = text.split('.')
  return `${whole}.${fraction.padEnd(2, '0')}`
}

function decimalOf(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  const places = fraction.length - Number(exponent)
  const digits = BigInt(whole + fraction)
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 }
}

function textOf({ digits, places }: Decimal): string {
  const text = String(digits).padStart(places + 1, '0')
  if (places === 0) return text
  const fraction = text.slice(-places).replace(/0+$/, '')
  return fraction ? `${text.slice(0, -places)}.${fraction}` : text.slice(0, -places)
}
