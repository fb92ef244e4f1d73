/** A whole number: a bigint only where a number could not hold it exactly, as sums with numbers take a tenth of the time. */
export type Whole = number | bigint

/**
 * Exact decimal numbers for prices. Ratios come as decimal texts, the shortest text of a number where they were numbers
 * (`0.1`, `1e-7`), and are multiplied without loss; the only rounding is the last one, to whole quota.
 */
export interface Ratio {
  /** value = digits × 10^−scale */
  readonly digits: Whole
  /** At least 0. */
  readonly scale: number
}

export const ZERO: Ratio = { digits: 0, scale: 0 }
const ONE: Ratio = { digits: 1, scale: 0 }

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/

/** Reads `12`, `-0.5`, `1.25e-7`; null for anything else, `NaN`, `Infinity` and `.5` included. */
export function parseRatio(text: string): Ratio | null {
  const match = DECIMAL.exec(text)
  if (match === null) return null
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const digits = narrow(BigInt(whole + fraction) * (sign === '-' ? -1n : 1n))
  const scale = fraction.length - Number(exponent)
  return scale < 0 ? { digits: product(digits, powerOf10(-scale)), scale: 0 } : { digits, scale }
}

/** As parseRatio, for texts that were checked when they were stored; throws a RangeError otherwise. */
export function ratio(text: string): Ratio {
  const parsed = parseRatio(text)
  if (parsed === null) throw new RangeError(`not a decimal number: ${text}`)
  return parsed
}

/** The exact ratio that a whole number of tokens or calls is. Throws a RangeError for a number with a fraction. */
export const ratioOf = (whole: number): Ratio => ({
  digits: Number.isSafeInteger(whole) ? whole : BigInt(whole),
  scale: 0,
})

export function times(...factors: readonly Ratio[]): Ratio {
  let { digits, scale } = ONE
  for (const factor of factors) {
    digits = product(digits, factor.digits)
    scale += factor.scale
  }
  return { digits, scale }
}

export function sum(...terms: readonly Ratio[]): Ratio {
  let { digits, scale } = ZERO
  for (const term of terms) {
    if (term.scale > scale) {
      digits = product(digits, powerOf10(term.scale - scale))
      scale = term.scale
    }
    digits = added(digits, atScale(term, scale))
  }
  return { digits, scale }
}

/** −1, 0 or 1 as a is less than, equal to or greater than b. */
export function compare(a: Ratio, b: Ratio): -1 | 0 | 1 {
  const scale = Math.max(a.scale, b.scale)
  const [left, right] = [atScale(a, scale), atScale(b, scale)]
  if (left < right) return -1
  return left > right ? 1 : 0
}

/** The plain decimal text: no exponent, no trailing zeros. */
export function printRatio(value: Ratio): string {
  const { digits, scale } = withoutTrailingZeros(value)
  if (scale === 0) return String(digits)
  const text = String(digits < 0 ? -digits : digits).padStart(scale + 1, '0')
  return `${digits < 0 ? '-' : ''}${text.slice(0, -scale)}.${text.slice(-scale)}`
}

/** To the nearest whole number, halves up. For amounts at or above 0. */
export function roundHalfUp({ digits, scale }: Ratio): Whole {
  const { quotient, rest, divisor } = divided(digits, scale)
  return added(rest, rest) >= divisor ? added(quotient, 1) : quotient
}

/** To the next whole number that is not smaller. For amounts at or above 0. */
export function roundUp({ digits, scale }: Ratio): Whole {
  const { quotient, rest } = divided(digits, scale)
  return rest > 0 ? added(quotient, 1) : quotient
}

/** Digits by 10^scale. */
function divided(
  digits: Whole,
  scale: number,
): { readonly quotient: Whole; readonly rest: Whole; readonly divisor: Whole } {
  const divisor = powerOf10(scale)
  if (typeof digits === 'number' && typeof divisor === 'number') {
    // A division of doubles may round up to the next whole number: what is divided here divides without a rest.
    const rest = digits % divisor
    return { quotient: (digits - rest) / divisor, rest, divisor }
  }
  const [all, by] = [BigInt(digits), BigInt(divisor)]
  return { quotient: narrow(all / by), rest: narrow(all % by), divisor }
}

const atScale = (value: Ratio, scale: number): Whole =>
  scale === value.scale ? value.digits : product(value.digits, powerOf10(scale - value.scale))

// A sum or product of safe integers that is a safe integer is exact: no other whole number rounds to it.

function product(a: Whole, b: Whole): Whole {
  if (typeof a === 'number' && typeof b === 'number') {
    const whole = a * b
    if (Number.isSafeInteger(whole)) return whole
  }
  return narrow(BigInt(a) * BigInt(b))
}

function added(a: Whole, b: Whole): Whole {
  if (typeof a === 'number' && typeof b === 'number') {
    const whole = a + b
    if (Number.isSafeInteger(whole)) return whole
  }
  return narrow(BigInt(a) + BigInt(b))
}

function narrow(whole: bigint): Whole {
  const number = Number(whole)
  return Number.isSafeInteger(number) ? number : whole
}

const powerOf10 = (exponent: number): Whole => POWERS[exponent] ?? 10n ** BigInt(exponent)
/** Those that are safe integers. */
const POWERS: readonly number[] = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent)

function withoutTrailingZeros({ digits, scale }: Ratio): Ratio {
  let shorter = BigInt(digits)
  let places = scale
  while (places > 0 && shorter % 10n === 0n) {
    shorter /= 10n
    places -= 1
  }
  return { digits: narrow(shorter), scale: places }
}
