import type { JsonObject } from '../../json.ts'
import { Untranslatable } from '../chat/chat-request.ts'
import type { Endpoint } from '../model-request.ts'
import { camelCase, memberOf, objectIn, objectsIn, textIn, wholeIn } from './names.ts'

/** Texts to embed. */
export interface VectorInputs {
  readonly texts: readonly VectorInput[]
  /** null = as many as the model has. */
  readonly dimensions: number | null
}

interface VectorInput {
  readonly text: string
  /** The purpose of the vector, in Google's words; '' = nothing is said. */
  readonly taskType: string
  /** Title of the document that the text comes from; '' = none. */
  readonly title: string
}

/** Members of OpenAI's request that are read here, or say nothing of the vectors. */
const OPENAI_READ: ReadonlySet<string> = new Set([
  'model',
  'input',
  'dimensions',
  'encoding_format',
  'user',
])
const GEMINI_READ: ReadonlySet<string> = new Set([
  'model',
  'content',
  'taskType',
  'title',
  'outputDimensionality',
])

/** OpenAI's question for vectors; throws an Untranslatable. */
export function openAiInputs({ input, dimensions, ...more }: JsonObject): VectorInputs {
  refuseUnread(Object.keys(more), OPENAI_READ)
  const texts: readonly unknown[] = Array.isArray(input) ? input : [input]
  if (!texts.every((text) => typeof text === 'string')) {
    const text = 'tokens have no counterpart at the provider of this model; send text'
    throw new Untranslatable('input', text)
  }
  return {
    texts: texts.map((text) => ({ text, taskType: '', title: '' })),
    dimensions: typeof dimensions === 'number' ? dimensions : null,
  }
}

/** Google's own, of one content or of several; throws an Untranslatable. */
export function geminiInputs(body: JsonObject): VectorInputs {
  const requests = 'requests' in body ? objectsIn(body['requests']) : [body]
  const dimensions = new Set(requests.map((one) => wholeIn(one, 'outputDimensionality')))
  if (dimensions.size > 1) {
    const text = 'all texts must ask for as many dimensions at the provider of this model'
    throw new Untranslatable('outputDimensionality', text)
  }
  const [asked = null] = dimensions
  return { texts: requests.map(geminiInput), dimensions: asked }
}

function geminiInput(request: JsonObject): VectorInput {
  refuseUnread(Object.keys(request).map(camelCase), GEMINI_READ)
  const parts = objectsIn(memberOf(objectIn(request, 'content'), 'parts'))
  if (!parts.every((part) => typeof part['text'] === 'string' && Object.keys(part).length === 1)) {
    throw new Untranslatable('content', 'the provider of this model takes nothing but text')
  }
  return {
    text: parts.map((part) => textIn(part, 'text')).join('\n'),
    taskType: textIn(request, 'taskType'),
    title: textIn(request, 'title'),
  }
}

function refuseUnread(names: readonly string[], read: ReadonlySet<string>): void {
  const unknown = names.find((name) => !read.has(name))
  if (unknown === undefined) return
  const text = `${unknown} has no counterpart at the provider of this model`
  throw new Untranslatable(unknown, text)
}

/** As one of Google's questions, which takes all texts in a batch. */
export const batchOf = ({ texts, dimensions }: VectorInputs, model: string): JsonObject => ({
  requests: texts.map((one) => ({ model: `models/${model}`, ...contentOf(one, dimensions) })),
})

/** As one for a single text, which is all that Vertex AI takes; throws an Untranslatable. */
export function singleOf({ texts, dimensions }: VectorInputs): JsonObject {
  const [only, second] = texts
  if (only !== undefined && second === undefined) return contentOf(only, dimensions)
  throw new Untranslatable('input', 'the provider of this model takes one text at a time')
}

/** As instances that Vertex AI's older models predict by. */
export const instancesOf = ({ texts, dimensions }: VectorInputs): JsonObject => ({
  instances: texts.map(({ text, taskType, title }) => ({
    content: text,
    ...(taskType !== '' && { task_type: taskType }),
    ...(title !== '' && { title }),
  })),
  ...(dimensions !== null && { parameters: { outputDimensionality: dimensions } }),
})

const contentOf = (
  { text, taskType, title }: VectorInput,
  dimensions: number | null,
): JsonObject => ({
  content: { parts: [{ text }] },
  ...(taskType !== '' && { taskType }),
  ...(title !== '' && { title }),
  ...(dimensions !== null && { outputDimensionality: dimensions }),
})

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
