/**
 * Reads one value of an address. What would not be written the same again stays the text that it is: a code such as
 * 123e4567 of a provider, a token of digits alone, or a name such as 007 is no number.
 */
export function parseAddressValue(text: string): unknown {
  const value: unknown = JSON.parse(text)
  const isNumber = typeof value === 'number'
  if (isNumber && String(value) !== text) throw new SyntaxError('not a number as it stands')
  return value
}
