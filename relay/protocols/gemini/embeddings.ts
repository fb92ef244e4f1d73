import type { JsonObject } from '../../json.ts'
import { Untranslatable } from '../chat/chat-request.ts'
import type { Endpoint } from '../model-request.ts'
import { objectsIn } from './names.ts'

/** Members of OpenAI's request that are read here, or say nothing of the vectors. */
const READ: ReadonlySet<string> = new Set([
  'model',
  'input',
  'dimensions',
  'encoding_format',
  'user',
])

/** OpenAI's question for vectors as one of Google's, which takes all inputs in a batch; throws an Untranslatable. */
export function batchOf({ input, dimensions, ...more }: JsonObject, model: string): JsonObject {
  const unknown = Object.keys(more).find((name) => !READ.has(name))
  if (unknown !== undefined) {
    const text = `${unknown} has no counterpart at the provider of this model`
    throw new Untranslatable(unknown, text)
  }
  const texts: readonly unknown[] = Array.isArray(input) ? input : [input]
  if (!texts.every((text) => typeof text === 'string')) {
    const text = 'tokens have no counterpart at the provider of this model; send text'
    throw new Untranslatable('input', text)
  }
  return {
    requests: texts.map((text) => ({
      model: `models/${model}`,
      content: { parts: [{ text }] },
      ...(typeof dimensions === 'number' && { outputDimensionality: dimensions }),
    })),
  }
}

/** Google's vectors as OpenAI's clients read them. */
export function openAiVectors(answer: JsonObject, { vectors }: Endpoint): JsonObject {
  const data = objectsIn(answer['embeddings']).map(({ values }, index) => ({
    object: 'embedding',
    index,
    embedding: vectors?.isBase64 === true ? inBase64(values) : values,
  }))
  return { object: 'list', data, model: vectors?.model ?? '' }
}

/** 32-bit floats, the lowest byte first. */
function inBase64(values: unknown): string {
  const numbers = Array.isArray(values) ? values.map(Number) : []
  const bytes = Buffer.alloc(numbers.length * Float32Array.BYTES_PER_ELEMENT)
  for (const [place, number] of numbers.entries()) {
    bytes.writeFloatLE(number, place * Float32Array.BYTES_PER_ELEMENT)
  }
  return bytes.toString('base64')
}
