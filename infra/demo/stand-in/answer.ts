import type { Call } from './call.ts'

/** Words of the answers, one token each; some need more than one byte a character, as real answers do. */
const WORDS = [
  'The',
  ' ledger',
  ' keeps',
  ' every',
  ' charge',
  ' as',
  ' an',
  ' event',
  ',',
  ' 每',
  '笔',
  '费用',
  ' and',
  ' naïve',
  ' sums',
  ' still',
  ' agree',
  ' —',
  ' ✓',
  '.',
  '\n',
  'So',
  ' 余额',
  ' is',
] as const

/** The JSON body of a complete answer. `withUsage` false leaves out what was used. */
export function answerBody(call: Call, id: string, withUsage: boolean): string {
  switch (call.endpoint) {
    case 'chat':
      return chatBody(call, id, withUsage)
    case 'completions':
      return completionBody(call, id, withUsage)
    case 'embeddings':
      return embeddingsBody(call, withUsage)
    default:
      return call.endpoint satisfies never
  }
}

/** The `data:` payloads of a streamed answer, in order, without the closing `[DONE]`. */
export function* answerChunks(
  call: Call,
  id: string,
  { usage, tokensPerChunk }: { usage: StreamUsage; tokensPerChunk: number },
): Generator<string> {
  const object = call.endpoint === 'chat' ? 'chat.completion.chunk' : 'text_completion'
  const head = `{"id":"${id}","object":"${object}","created":${created()},"model":${JSON.stringify(call.model)}`
  for (const piece of call.endpoint === 'chat'
    ? chatPieces(call, tokensPerChunk)
    : completionPieces(call)) {
    const isLast = piece.includes(`"finish_reason":"`)
    const ownUsage = isLast && usage === 'at-finish' ? `,"usage":${usageJson(call)}` : ''
    yield `${head},"choices":[${piece}]${ownUsage}}`
  }
  if (usage === 'own-chunk' && call.includeUsage) {
    yield `${head},"choices":[],"usage":${usageJson(call)}}`
  }
}

/** Where a stream says what was used: nowhere, in a last chunk if asked, or in the chunk that finishes the answer. */
export type StreamUsage = 'none' | 'own-chunk' | 'at-finish'

function chatBody(call: Call, id: string, withUsage: boolean): string {
  const reasoning = call.isReasoning
    ? `,"reasoning_content":${JSON.stringify(words(reasoningTokens(call)))}`
    : ''
  const message = call.toolCall
    ? `{"role":"assistant","content":null,"tool_calls":[${toolCallJson(call.toolCall, id)}]}`
    : `{"role":"assistant","content":${JSON.stringify(words(visibleTokens(call)))}${reasoning}}`
  const choice = `{"index":0,"message":${message},"logprobs":null,"finish_reason":"${finishReason(call)}"}`
  return `{"id":"${id}","object":"chat.completion","created":${created()},"model":${JSON.stringify(call.model)},"choices":[${choice}]${usageMember(call, withUsage)},"system_fingerprint":"fp_standin"}`
}

function completionBody(call: Call, id: string, withUsage: boolean): string {
  const choice = `{"text":${JSON.stringify(words(call.answerTokens))},"index":0,"logprobs":null,"finish_reason":"${finishReason(call)}"}`
  return `{"id":"${id}","object":"text_completion","created":${created()},"model":${JSON.stringify(call.model)},"choices":[${choice}]${usageMember(call, withUsage)}}`
}

function embeddingsBody(call: Call, withUsage: boolean): string {
  const usage = withUsage
    ? `,"usage":{"prompt_tokens":${call.promptTokens},"total_tokens":${call.promptTokens}}`
    : ''
  const data = Array.from(
    { length: call.inputs },
    (_, index) => `{"object":"embedding","index":${index},"embedding":[0.0125,-0.25,0.5,${index}]}`,
  )
  return `{"object":"list","data":[${data.join(',')}],"model":${JSON.stringify(call.model)}${usage}}`
}

function* chatPieces(call: Call, tokensPerChunk: number): Generator<string> {
  yield '{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}'
  if (call.toolCall) {
    const { name, arguments: text } = call.toolCall
    yield delta(
      `"tool_calls":[{"index":0,"id":"call_standin","type":"function","function":{"name":${JSON.stringify(name)},"arguments":""}}]`,
    )
    for (const part of text.match(/.{1,6}/gsu) ?? []) {
      yield delta(`"tool_calls":[{"index":0,"function":{"arguments":${JSON.stringify(part)}}}]`)
    }
  } else {
    for (const word of pieces(reasoningTokens(call), tokensPerChunk))
      yield delta(`"reasoning_content":${JSON.stringify(word)}`)
    for (const word of pieces(visibleTokens(call), tokensPerChunk))
      yield delta(`"content":${JSON.stringify(word)}`)
  }
  yield `{"index":0,"delta":{},"finish_reason":"${finishReason(call)}"}`
}

function* completionPieces(call: Call): Generator<string> {
  for (const word of pieces(call.answerTokens, 1)) {
    yield `{"text":${JSON.stringify(word)},"index":0,"logprobs":null,"finish_reason":null}`
  }
  yield `{"text":"","index":0,"logprobs":null,"finish_reason":"${finishReason(call)}"}`
}

const delta = (member: string): string => `{"index":0,"delta":{${member}},"finish_reason":null}`

const toolCallJson = (toolCall: NonNullable<Call['toolCall']>, id: string): string =>
  `{"id":"call_${id}","type":"function","function":${JSON.stringify(toolCall)}}`

const usageMember = (call: Call, withUsage: boolean): string =>
  withUsage ? `,"usage":${usageJson(call)}` : ''

function usageJson(call: Call): string {
  const total = call.promptTokens + call.answerTokens
  const reasoning = reasoningTokens(call)
  return `{"prompt_tokens":${call.promptTokens},"completion_tokens":${call.answerTokens},"total_tokens":${total},"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":${reasoning},"audio_tokens":0}}`
}

function finishReason(call: Call): string {
  if (call.toolCall) return 'tool_calls'
  return call.isCutByLimit ? 'length' : 'stop'
}

/** A reasoning model spends a third of its output on thinking. */
const reasoningTokens = (call: Call): number =>
  call.isReasoning ? Math.floor(call.answerTokens / 3) : 0
const visibleTokens = (call: Call): number => call.answerTokens - reasoningTokens(call)

const words = (count: number): string => pieces(count, count).toArray().join('')

/** The answer's words in groups of so many. */
function* pieces(count: number, perPiece: number): Generator<string> {
  for (let first = 0; first < count; first += perPiece) {
    let piece = ''
    for (let index = first; index < Math.min(first + perPiece, count); index++) {
      piece += WORDS[index % WORDS.length] ?? ''
    }
    yield piece
  }
}

const created = (): number => Math.floor(Date.now() / 1000)
