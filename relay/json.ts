/** A JSON object as it came, its members not yet looked at. */
export type JsonObject = Readonly<Record<string, unknown>>

/**
 * The value of an upstream's JSON; undefined when it is none. Python's NaN, Infinity and -Infinity are read as null,
 * and a byte order mark is skipped.
 */
export function parseForeign(text: string): unknown {
  const json = text.startsWith('\uFEFF') ? text.slice(1) : text
  try {
    return JSON.parse(json)
  } catch {
    return NOT_FINITE.test(json) ? parsedWithoutNotFinite(json) : undefined
  }
}

const NOT_FINITE = /NaN|Infinity/
const TEXT_OR_NOT_FINITE = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:NaN|Infinity)/g

function parsedWithoutNotFinite(json: string): unknown {
  try {
    return JSON.parse(
      json.replace(TEXT_OR_NOT_FINITE, (found) => (found.startsWith('"') ? found : 'null')),
    )
  } catch {
    // Garbage is told from JSON by the caller, which knows what to do with it.
    return undefined
  }
}

/** True for a JSON object (not a list, not null). */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
