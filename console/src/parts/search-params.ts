/** Reads one value of an address: the value, or undefined when it is absent or odd. */
export type Reader<Value> = (raw: unknown) => Value | undefined

/** An address after its readers: each field may be absent. */
export type Read<Fields extends Record<string, Reader<unknown>>> = {
  readonly [Key in keyof Fields]?: Exclude<ReturnType<Fields[Key]>, undefined>
}

/**
 * Reads an address by one reader a field; what is absent, odd or the default is left out, so an address never fails to
 * open a screen: the router lays these fields over the raw address, so that those of them that stand in it and are left
 * out are there as undefined. Written by hand because every visitor loads it before anything else, and zod would be 6 kB of that.
 */
export function readSearch<Fields extends Record<string, Reader<unknown>>>(
  raw: Record<string, unknown>,
  fields: Fields,
  defaults: Partial<Read<Fields>> = {},
): Read<Fields> {
  const read = Object.entries(fields).map(([key, reader]) => [key, reader(raw[key])])
  const kept = chosen(Object.fromEntries(read) as Read<Fields>, defaults)
  const left = Object.keys(fields).filter((key) => key in raw && !(key in kept))
  return { ...Object.fromEntries(left.map((key) => [key, undefined])), ...kept }
}

/** A text; numbers count as what was typed. */
export const text: Reader<string> = (raw) => {
  if (typeof raw === 'number') return String(raw)
  return typeof raw === 'string' ? raw : undefined
}

/** A whole number of at least 1. */
export const count: Reader<number> = (raw) => wholeNumber(raw, 1)

/** A whole number of at least 0, such as a type or a unix time. */
export const natural: Reader<number> = (raw) => wholeNumber(raw, 0)

/** On; anything but true is off, which an address leaves out. */
export const flag: Reader<true> = (raw) => (raw === true || raw === 'true' ? true : undefined)

/** One of a list of words. */
export function oneOf<Word extends string>(words: readonly Word[]): Reader<Word> {
  return (raw) => words.find((word) => word === raw)
}

/** Leaves out undefined, empty and default values, so that the address says only what was chosen. */
export function chosen<Search extends object>(
  search: Search,
  defaults: Partial<Search> = {},
): Search {
  const kept = Object.entries(search).filter(
    ([key, value]) =>
      value !== undefined && value !== '' && value !== (defaults as Record<string, unknown>)[key],
  )
  return Object.fromEntries(kept) as Search
}

function wholeNumber(raw: unknown, least: number): number | undefined {
  const isEmpty = raw === '' || (typeof raw !== 'number' && typeof raw !== 'string')
  const value = Number(raw)
  return !isEmpty && Number.isSafeInteger(value) && value >= least ? value : undefined
}
