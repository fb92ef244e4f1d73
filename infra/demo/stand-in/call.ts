/** A request as the stand-in understood it: what its answer depends on. */
export interface Call {
  readonly endpoint: 'chat' | 'completions' | 'embeddings'
  readonly model: string
  readonly stream: boolean
  /** The client asked for a usage chunk at the end of the stream. */
  readonly includeUsage: boolean
  readonly promptTokens: number
  /** Tokens that the answer will have: the request's own limit or the stand-in's habit, whichever is less. */
  readonly answerTokens: number
  /** The request's limit cuts the answer short. */
  readonly isCutByLimit: boolean
  /** Name and arguments of the tool call to answer with; null for an answer in words. */
  readonly toolCall: { readonly name: string; readonly arguments: string } | null
  readonly isReasoning: boolean
  /** Texts to embed. */
  readonly inputs: number
}

type Json = Readonly<Record<string, unknown>>

/** How long answers are. */
export interface AnswerHabits {
  readonly usualTokens: number
  /** An answer fills the request's own limit, even beyond the usual length. */
  readonly fillsLimit: boolean
}

/** Reads a request body; null when it is not a JSON object. */
export function readCall(
  endpoint: Call['endpoint'],
  text: string,
  { usualTokens, fillsLimit }: AnswerHabits,
): Call | null {
  const body = parseObject(text)
  if (body === null) return null
  const model = typeof body['model'] === 'string' ? body['model'] : ''
  const limit = firstNumber(body['max_completion_tokens'], body['max_tokens'])
  const wanted = fillsLimit ? (limit ?? usualTokens) : Math.min(limit ?? usualTokens, usualTokens)
  const input = body['input']
  return {
    endpoint,
    model,
    stream: body['stream'] === true,
    includeUsage:
      isObject(body['stream_options']) && body['stream_options']['include_usage'] === true,
    promptTokens: promptTokensOf(body['messages'] ?? body['prompt'] ?? input),
    answerTokens: wanted,
    isCutByLimit: !fillsLimit && limit !== null && limit < usualTokens,
    toolCall: toolCallFor(body),
    isReasoning: /^(o\d|deepseek-reasoner)/u.test(model),
    inputs: Array.isArray(input) ? input.length : 1,
  }
}

/**
 * The stand-in's own tokeniser: one token for every four characters of the prompt's JSON, at least one. Exported so
 * that a test can foresee a charge.
 */
export const promptTokensOf = (prompt: unknown): number =>
  Math.max(1, Math.ceil((JSON.stringify(prompt) ?? '').length / 4))

/** The first offered function, with a value for each required argument, unless a tool has answered already. */
function toolCallFor(body: Json): Call['toolCall'] {
  const tools = body['tools']
  if (!Array.isArray(tools) || tools.length === 0) return null
  const messages = Array.isArray(body['messages']) ? body['messages'] : []
  const last: unknown = messages.at(-1)
  if (isObject(last) && last['role'] === 'tool') return null
  const first: unknown = tools[0]
  const described = isObject(first) && isObject(first['function']) ? first['function'] : null
  if (described === null || typeof described['name'] !== 'string') return null
  const parameters = isObject(described['parameters']) ? described['parameters'] : {}
  const properties = isObject(parameters['properties']) ? parameters['properties'] : {}
  const values = Object.entries(properties).map(([name, schema]) => [name, sampleOf(schema)])
  return { name: described['name'], arguments: JSON.stringify(Object.fromEntries(values)) }
}

function sampleOf(schema: unknown): unknown {
  const type = isObject(schema) ? schema['type'] : 'string'
  if (type === 'number' || type === 'integer') return 7
  if (type === 'boolean') return true
  return 'Kyoto'
}

function parseObject(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const firstNumber = (...values: unknown[]): number | null =>
  values.find((value): value is number => typeof value === 'number') ?? null
