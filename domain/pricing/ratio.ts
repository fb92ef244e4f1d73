/**
 * Exact decimal numbers for prices. Ratios come as decimal texts, the shortest text of a number where they were numbers
 * (`0.1`, `1e-7`), and are multiplied without loss; the only rounding is the last one, to whole quota.
 */
export interface Ratio {
  /** value = digits × 10^−scale */
  readonly digits: bigint
  /** At least 0. */
  readonly scale: number
}

export const ZERO: Ratio = { digits: 0n, scale: 0 }
const ONE: Ratio = { digits: 1n, scale: 0 }

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/

/** Reads `12`, `-0.5`, `1.25e-7`; null for anything else, `NaN`, `Infinity` and `.5` included. */
export function parseRatio(text: string): Ratio | null {
  const match = DECIMAL.exec(text)
  if (match === null) return null
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const digits = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n)
  const scale = fraction.length - Number(exponent)
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale }
}

/** As parseRatio, for texts that were checked when they were stored; throws a RangeError otherwise. */
export function ratio(text: string): Ratio {
  const parsed = parseRatio(text)
  if (parsed === null) throw new RangeError(`not a decimal number: ${text}`)
  return parsed
}

/** The exact ratio that a whole number of tokens or calls is. */
export const ratioOf = (whole: number): Ratio => ({ digits: BigInt(whole), scale: 0 })

export const times = (...factors: readonly Ratio[]): Ratio =>
  factors.reduce(
    (product, factor) => ({
      digits: product.digits * factor.digits,
      scale: product.scale + factor.scale,
    }),
    ONE,
  )

export const sum = (...terms: readonly Ratio[]): Ratio => {
  const scale = Math.max(0, ...terms.map((term) => term.scale))
  return { digits: terms.reduce((total, term) => total + atScale(term, scale), 0n), scale }
}

/** −1, 0 or 1 as a is less than, equal to or greater than b. */
export function compare(a: Ratio, b: Ratio): -1 | 0 | 1 {
  const scale = Math.max(a.scale, b.scale)
  const difference = atScale(a, scale) - atScale(b, scale)
  if (difference === 0n) return 0
  return difference < 0n ? -1 : 1
}

/** The plain decimal text: no exponent, no trailing zeros. */
export function printRatio(value: Ratio): string {
  const { digits, scale } = withoutTrailingZeros(value)
  if (scale === 0) return String(digits)
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0')
  return `${digits < 0n ? '-' : ''}${text.slice(0, -scale)}.${text.slice(-scale)}`
}

/** To the nearest whole number, halves up. For amounts at or above 0. */
export const roundHalfUp = (value: Ratio): bigint =>
  floorOf({ digits: value.digits * 2n + unit(value), scale: value.scale }, 2n)

/** To the next whole number that is not smaller. For amounts at or above 0. */
export const roundUp = (value: Ratio): bigint =>
  floorOf({ digits: value.digits + unit(value) - 1n, scale: value.scale }, 1n)

const unit = ({ scale }: Ratio): bigint => 10n ** BigInt(scale)
const floorOf = (value: Ratio, divisor: bigint): bigint => value.digits / (unit(value) * divisor)
const atScale = (value: Ratio, scale: number): bigint =>
  scale === value.scale ? value.digits : value.digits * 10n ** BigInt(scale - value.scale)

function withoutTrailingZeros({ digits, scale }: Ratio): Ratio {
  let shorter = digits
  let places = scale
  while (places > 0 && shorter % 10n === 0n) {
    shorter /= 10n
    places -= 1
  }
  return { digits: shorter, scale: places }
}
