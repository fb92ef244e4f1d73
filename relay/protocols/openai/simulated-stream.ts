import { isObject, type JsonObject } from '../../json.ts'
import { firstOf } from '../../upstream/errors.ts'
import { eventBytes, piecesOf } from '../simulated-stream.ts'
import { CHUNK_PLACES_MAX } from './stream.ts'

/** Log probabilities of so many tokens in one chunk; each has up to twenty alternatives. */
const LOGPROBS_MAX = 50
/** Members by which clients see that chunks are of one answer. */
const IDENTITY = ['id', 'created', 'model', 'system_fingerprint', 'service_tier']
/** Texts of a message, in the order in which models write them. */
const TEXTS = ['reasoning_content', 'reasoning', 'content', 'refusal'] as const

/** The chunks of a stream that says the same as a whole answer; null when it is none. */
export function simulatedStream(answer: unknown): Buffer | null {
  const reply = firstOf(answer)
  if (!isObject(reply) || !Array.isArray(reply['choices'])) return null
  const { choices, usage, object: _, ...members } = reply
  const all = choices.filter(isObject)
  const object = all.some(({ text }) => typeof text === 'string')
    ? 'text_completion'
    : 'chat.completion.chunk'
  const identity = Object.fromEntries(
    IDENTITY.flatMap((name) => (name in members ? [[name, members[name]] as const] : [])),
  )
  const steps = all.map((choice, place) => choiceSteps({ index: place, ...choice }))
  const length = Math.max(0, ...steps.map((one) => one.length))
  const chunks = Array.from({ length }, (_none, step) => ({
    // The first chunk alone has the members that are not its identity.
    ...(step === 0 ? members : identity),
    object,
    choices: steps.flatMap((one) => one[step] ?? []),
  }))
  const told = isObject(usage) ? [{ ...identity, object, choices: [], usage }] : []
  return eventBytes(
    [...chunks, ...told].map((data) => ({ data })),
    CHUNK_PLACES_MAX,
    'data: [DONE]\n\n',
  )
}

/** One choice of each chunk, in order: the last has its finish reason. */
function choiceSteps(choice: JsonObject): readonly JsonObject[] {
  const { index, message, logprobs, finish_reason: reason, ...members } = choice
  // Chunks of text completions have the shape of whole ones.
  if (!isObject(message)) return [{ ...choice, finish_reason: reason ?? 'stop' }]
  const hasCalls = Array.isArray(message['tool_calls']) && message['tool_calls'].length > 0
  const deltas = deltasOf(message).map((delta) => ({ index, delta, finish_reason: null }))
  const probabilities = logprobPieces(logprobs)
  // A reader takes as many of both as there are: they belong to the whole, not to each other's pieces.
  const steps = Array.from(
    { length: Math.max(deltas.length, probabilities.length) },
    (_, step) => ({
      index,
      delta: {},
      finish_reason: null,
      ...deltas[step],
      ...(probabilities[step] !== undefined && { logprobs: probabilities[step] }),
    }),
  )
  const finish = reason ?? (hasCalls ? 'tool_calls' : 'stop')
  return [...steps, { ...members, index, delta: {}, finish_reason: finish }]
}

/** A message as deltas: its role, its texts piece by piece, then all else. */
function deltasOf(message: JsonObject): readonly JsonObject[] {
  const {
    role = 'assistant',
    reasoning_details: details,
    tool_calls: calls,
    reasoning_content,
    reasoning,
    content,
    refusal,
    ...others
  } = message
  const texts: JsonObject = { reasoning_content, reasoning, content, refusal }
  const written = TEXTS.filter((name) => typeof texts[name] === 'string' && texts[name] !== '')
  const thoughts = piecesTogether(
    texts,
    written.filter((name) => name.startsWith('reasoning')),
  )
  const [first = {}, ...more] = thoughts
  const detailed = Array.isArray(details) ? [{ ...first, reasoning_details: details }] : [first]
  const rest = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null))
  return [
    { role, ...(!Array.isArray(content) && { content: typeof content === 'string' ? '' : null }) },
    ...detailed,
    ...more,
    ...piecesTogether(
      texts,
      written.filter((name) => name === 'content'),
    ),
    ...(Array.isArray(content) ? [{ content }] : []),
    ...piecesTogether(
      texts,
      written.filter((name) => name === 'refusal'),
    ),
    rest,
    ...(Array.isArray(calls) ? calls.filter(isObject).flatMap(callDeltas) : []),
  ].filter((delta) => Object.keys(delta).length > 0)
}

/** Texts that say the same in two members are written side by side, as their vendors do. */
function piecesTogether(texts: JsonObject, names: readonly string[]): readonly JsonObject[] {
  const pieces = names.map((name) => piecesOf(String(texts[name])))
  const length = Math.max(0, ...pieces.map((one) => one.length))
  return Array.from({ length }, (_, step) =>
    Object.fromEntries(
      names.flatMap((name, place) => {
        const piece = pieces[place]?.[step]
        return piece === undefined ? [] : [[name, piece] as const]
      }),
    ),
  )
}

/** A call of a tool: its name with the first piece of its arguments. */
function callDeltas(call: JsonObject, place: number): readonly JsonObject[] {
  const made = call['function']
  const index = place
  if (!isObject(made) || typeof made['arguments'] !== 'string') {
    return [{ tool_calls: [{ ...call, index }] }]
  }
  const [first = '', ...more] = piecesOf(made['arguments'])
  return [
    { tool_calls: [{ ...call, index, function: { ...made, arguments: first } }] },
    ...more.map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]
}

function logprobPieces(logprobs: unknown): readonly JsonObject[] {
  if (!isObject(logprobs)) return []
  const lists = Object.entries(logprobs).flatMap(([name, list]) =>
    Array.isArray(list) ? [[name, list as readonly unknown[]] as const] : [],
  )
  const longest = Math.max(0, ...lists.map(([, list]) => list.length))
  return Array.from({ length: Math.ceil(longest / LOGPROBS_MAX) }, (_, step) =>
    Object.fromEntries(
      lists.map(([name, list]) => [
        name,
        list.slice(step * LOGPROBS_MAX, (step + 1) * LOGPROBS_MAX),
      ]),
    ),
  )
}
