/** JSON Schema of an object that has all of these members and no other. */
export type ObjectSchema = {
  type: 'object'
  properties: Record<string, { type: JsonType }>
  required: string[]
  additionalProperties: false
}

type JsonType = 'integer' | 'number' | 'string' | 'boolean' | 'null'

/** For objects that several packages answer with: each makes a schema of its own kind of it. */
export const objectSchema = <Entity>(
  members: Readonly<Record<keyof Entity & string, JsonType>>,
): ObjectSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries<JsonType>(members).map(([name, type]) => [name, { type }]),
  ),
  required: Object.keys(members),
  additionalProperties: false,
})
