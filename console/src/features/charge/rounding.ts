/** An amount less its exact price (a decimal text that is not negative), in quota, with its sign: "+0.425". */
export function roundedBy(amount: number, exact: string): string {
  const [whole = '0', fraction = ''] = exact.split('.')
  const places = fraction.length
  const less = BigInt(amount) * 10n ** BigInt(places) - BigInt(whole + fraction)
  const digits = String(less < 0n ? -less : less).padStart(places + 1, '0')
  const decimals = places === 0 ? '' : digits.slice(-places).replace(/0+$/, '')
  const sign = less > 0n ? '+' : less < 0n ? '−' : ''
  return `${sign}${places === 0 ? digits : digits.slice(0, -places)}${decimals ? `.${decimals}` : ''}`
}
