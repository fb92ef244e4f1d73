/** The value of a column's JSON; undefined when it does not parse, which is as wrong as any other value. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Whatever stands there is not what should: the caller reports it.
    return undefined
  }
}
