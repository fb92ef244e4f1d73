/** A JSON object as it came, its members not yet looked at. */
export type JsonObject = Readonly<Record<string, unknown>>

/** True for a JSON object (not a list, not null). */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
