/**
 * Faults of the stand-in upstream, each named by what a gateway sees. Chosen by model name (`stand-in-rate-limited`)
 * or, for a while, by channel key through StandInUpstream.behave.
 */
const BEHAVIOURS = [
  'normal',
  /** 429 with Retry-After. */
  'rate-limited',
  /** 500 with an error body in OpenAI's shape. */
  'server-error',
  /** 502 with an HTML page, as a proxy in front of a dead server sends it. */
  'bad-gateway',
  /** 401 with code invalid_api_key. */
  'invalid-key',
  /** 400: the caller's own mistake, which no other channel can mend. */
  'bad-request',
  /** 200 with bytes that are neither JSON nor an event stream. */
  'garbage',
  /** The connection is cut in the middle of the answer. */
  'truncated',
  /** Half an answer, then silence on an open connection. */
  'stalled',
  /** 200 with an error object as the whole body. */
  'error-in-ok',
  /** A stream that turns into an error event after some content. */
  'error-mid-stream',
  /** A correct answer whose first byte comes late (StandInOptions.slowFirstByteMs). */
  'slow-first-byte',
  /** The request is read and never answered. */
  'silent',
  /** A correct answer of StandInOptions.hugeAnswerTokens tokens. */
  'huge',
  /** 200 with no content and no usage. */
  'empty',
  /** A correct answer that does not say what it used. */
  'no-usage',
  /** A correct stream whose finishing chunk says what was used, asked for or not. */
  'usage-at-finish',
] as const

export type Behaviour = (typeof BEHAVIOURS)[number]

const MODEL_PREFIX = 'stand-in-'

/** The behaviour that a model's name asks for: `stand-in-garbage` → garbage; normal for every other name. */
export function behaviourOfModel(model: string): Behaviour {
  if (!model.startsWith(MODEL_PREFIX)) return 'normal'
  const asked = model.slice(MODEL_PREFIX.length)
  return BEHAVIOURS.find((behaviour) => behaviour === asked) ?? 'normal'
}
