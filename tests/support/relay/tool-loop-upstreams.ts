import type { ServerResponse } from 'node:http'
import { isObject, type JsonObject } from '@tollgate/relay/json.ts'
import { awsEvent } from './aws-message.ts'
import type { Asked } from './relay-under-test.ts'

/**
 * For tests: a provider that calls the tool `add` with n = 1, 2, … until it was answered `rounds` times, then says
 * "done". It refuses the same requests as the real one: results that are not `sum <n>` of the call before, and thoughts
 * that do not come back as it gave them.
 */
export interface LoopUpstream {
  readonly model: string
  answer(response: ServerResponse, asked: Asked, rounds: number): void
}

const objects = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []
const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})
const bodyOf = ({ text }: Asked): JsonObject => objectOf(JSON.parse(text))

/** The usage that every answer reports. */
export const TOKENS = { input: 100, output: 10 } as const
/** Base64, with characters that only one of its two alphabets has. */
const signature = (n: number): string =>
  Buffer.from([0xfb, 0xef, 0xff, n, ...Array.from({ length: 40 }, () => n)]).toString('base64')
const thought = (n: number): string => `thought ${n}`
const event = (data: JsonObject, name = ''): string =>
  `${name === '' ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`

const json = (response: ServerResponse, status: number, body: object): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const stream = (response: ServerResponse, body: string): void =>
  void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body)

/** Refuses a request that does not agree, in a message that the test shows. */
const refuse = (response: ServerResponse, why: string): void =>
  json(response, 400, { error: { type: 'invalid_request_error', message: why } })

const wrongResult = (results: readonly unknown[]): boolean =>
  results.some((result, index) => !JSON.stringify(result).includes(`sum ${index + 1}`))

const openai: LoopUpstream = {
  model: 'gpt-5-mini',
  answer(response, asked, rounds) {
    if (asked.path === '/v1/responses') return answerResponses(response, asked, rounds)
    const body = bodyOf(asked)
    const results = objects(body['messages']).filter(({ role }) => role === 'tool')
    if (wrongResult(results)) return refuse(response, 'wrong result')
    const n = results.length + 1
    const isDone = n > rounds
    const call = {
      id: `call_${n}`,
      type: 'function',
      function: { name: 'add', arguments: JSON.stringify({ n }) },
    }
    const said = isDone ? { content: 'done' } : { content: null, tool_calls: [call] }
    const usage = {
      prompt_tokens: TOKENS.input,
      completion_tokens: TOKENS.output,
      total_tokens: TOKENS.input + TOKENS.output,
    }
    const head = { id: `chat_${n}`, created: 1, model: this.model }
    const finish = isDone ? 'stop' : 'tool_calls'
    if (body['stream'] !== true) {
      const message = { role: 'assistant', ...said }
      const choices = [{ index: 0, message, finish_reason: finish }]
      return json(response, 200, { ...head, object: 'chat.completion', choices, usage })
    }
    const chunk = (choices: readonly object[], more = {}): string =>
      event({ ...head, object: 'chat.completion.chunk', choices, ...more })
    const delta = isDone ? said : { tool_calls: [{ index: 0, ...call }] }
    stream(
      response,
      [
        chunk([{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }]),
        chunk([{ index: 0, delta: {}, finish_reason: finish }]),
        chunk([], { usage }),
        'data: [DONE]\n\n',
      ].join(''),
    )
  },
}

function answerResponses(response: ServerResponse, asked: Asked, rounds: number): void {
  const body = bodyOf(asked)
  const items = objects(body['input'])
  const results = items.filter(({ type }) => type === 'function_call_output')
  if (wrongResult(results)) return refuse(response, 'wrong result')
  const n = results.length + 1
  const call = { type: 'function_call', id: `fc_${n}`, call_id: `call_${n}`, name: 'add' }
  const item =
    n > rounds
      ? {
          type: 'message',
          id: `msg_${n}`,
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'done', annotations: [] }],
        }
      : { ...call, arguments: JSON.stringify({ n }) }
  const made = {
    id: `resp_${n}`,
    object: 'response',
    status: 'completed',
    model: 'gpt-5-mini',
    output: [item],
    usage: {
      input_tokens: TOKENS.input,
      output_tokens: TOKENS.output,
      total_tokens: TOKENS.input + TOKENS.output,
    },
  }
  if (body['stream'] !== true) return json(response, 200, made)
  const created = { ...made, status: 'in_progress', output: [], usage: null }
  const isMessage = item.type === 'message'
  const delta = { item_id: item.id, output_index: 0, content_index: 0, delta: 'done', logprobs: [] }
  stream(
    response,
    [
      { type: 'response.created', response: created },
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: isMessage ? { ...item, content: [] } : item,
      },
      ...(isMessage ? [{ type: 'response.output_text.delta', ...delta }] : []),
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: made },
    ]
      .map((data, index) => event({ ...data, sequence_number: index }, data.type))
      .join(''),
  )
}

/** Anthropic's rule: where thinking is on, the last calls stand behind the thoughts that came with them. */
function claudeProblem(body: JsonObject): string | null {
  const messages = objects(body['messages'])
  const contents = messages.map(({ content }) => objects(content))
  const results = contents.flat().filter(({ type }) => type === 'tool_result')
  if (wrongResult(results)) return 'wrong result'
  for (const [index, content] of contents.entries()) {
    const calls = content.filter(({ type }) => type === 'tool_use')
    const thoughts = content.filter(({ type }) => type === 'thinking')
    const n = Number(objectOf(calls[0]?.['input'])['n'])
    const wrong = thoughts.some((one) => one['signature'] !== signature(n))
    if (wrong || thoughts.some((one) => one['thinking'] !== thought(n))) return 'foreign thought'
    const isLast = index >= contents.length - 2
    const isOn = body['thinking'] !== undefined && isLast && calls.length > 0
    if (isOn && content[0]?.['type'] !== 'thinking') return 'expected thinking before tool_use'
  }
  return null
}

function claudeAnswer(body: JsonObject, rounds: number): JsonObject {
  const contents = objects(body['messages']).flatMap(({ content }) => objects(content))
  const n = contents.filter(({ type }) => type === 'tool_result').length + 1
  const content =
    n > rounds
      ? [{ type: 'text', text: 'done' }]
      : [
          ...(body['thinking'] === undefined
            ? []
            : [{ type: 'thinking', thinking: thought(n), signature: signature(n) }]),
          { type: 'tool_use', id: `toolu_${n}`, name: 'add', input: { n } },
        ]
  return {
    id: `msg_${n}`,
    type: 'message',
    role: 'assistant',
    model: CLAUDE_MODEL,
    content,
    stop_reason: n > rounds ? 'end_turn' : 'tool_use',
    usage: { input_tokens: TOKENS.input, output_tokens: TOKENS.output },
  }
}
const CLAUDE_MODEL = 'claude-sonnet-4-5'

/** How blocks begin. */
const EMPTY: ReadonlyMap<unknown, object> = new Map([
  ['tool_use', { input: {} }],
  ['text', { text: '' }],
  ['thinking', { thinking: '' }],
])

function claudeEvents(message: JsonObject): readonly JsonObject[] {
  const { content, stop_reason, usage, ...head } = message
  const blocks = objects(content).flatMap((block, index) => {
    const { type, text, thinking, signature: signed, input, ...named } = block
    const deltas = [
      ...(text === undefined ? [] : [{ type: 'text_delta', text }]),
      ...(thinking === undefined ? [] : [{ type: 'thinking_delta', thinking }]),
      ...(signed === undefined ? [] : [{ type: 'signature_delta', signature: signed }]),
      ...(input === undefined
        ? []
        : [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }]),
    ]
    const begun = { type, ...named, ...EMPTY.get(type) }
    return [
      { type: 'content_block_start', index, content_block: begun },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]
  })
  return [
    { type: 'message_start', message: { ...head, content: [], usage } },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason }, usage },
    { type: 'message_stop' },
  ]
}

const claude: LoopUpstream = {
  model: CLAUDE_MODEL,
  answer(response, asked, rounds) {
    const body = bodyOf(asked)
    const problem = claudeProblem(body)
    if (problem !== null) return refuse(response, problem)
    const message = claudeAnswer(body, rounds)
    const isStream = body['stream'] === true || asked.path.includes(':streamRawPredict')
    if (!isStream) return json(response, 200, message)
    const events = claudeEvents(message)
    stream(response, events.map((one) => event(one, String(one['type']))).join(''))
  },
}

const bedrock: LoopUpstream = {
  model: CLAUDE_MODEL,
  answer(response, asked, rounds) {
    const body = bodyOf(asked)
    const problem = claudeProblem(body)
    if (problem !== null) return refuse(response, problem)
    const message = claudeAnswer(body, rounds)
    if (!asked.path.endsWith('-response-stream')) return json(response, 200, message)
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
    response.end(Buffer.concat(claudeEvents(message).map(awsEvent)))
  },
}

const gemini: LoopUpstream = {
  model: 'gemini-3-pro',
  answer(response, asked, rounds) {
    const parts = objects(bodyOf(asked)['contents']).flatMap((content) => objects(content['parts']))
    const results = parts.filter((part) => isObject(part['functionResponse']))
    if (wrongResult(results)) return refuse(response, 'wrong result')
    const isForeign = parts.some((part) => {
      const call = part['functionCall']
      const n = isObject(call) ? Number(objectOf(call['args'])['n']) : 0
      // Google reads both alphabets.
      const wanted = [signature(n), Buffer.from(signature(n), 'base64').toString('base64url')]
      const given = String(part['thoughtSignature']).replace(/=+$/, '')
      return isObject(call) && !wanted.some((one) => one.replace(/=+$/, '') === given)
    })
    if (isForeign) return refuse(response, 'foreign thought signature')
    const n = results.length + 1
    const part =
      n > rounds
        ? { text: 'done' }
        : {
            functionCall: { id: `fc_${n}`, name: 'add', args: { n } },
            thoughtSignature: signature(n),
          }
    const answer = {
      candidates: [
        {
          content: { role: 'model', parts: [{ text: thought(n), thought: true }, part] },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: {
        promptTokenCount: TOKENS.input,
        candidatesTokenCount: TOKENS.output,
        totalTokenCount: TOKENS.input + TOKENS.output,
      },
      modelVersion: this.model,
      responseId: `rsp-${n}`,
    }
    if (asked.path.includes(':streamGenerateContent')) stream(response, event(answer))
    else json(response, 200, answer)
  },
}

const llama: LoopUpstream = { ...openai, model: 'meta/llama-4-maas' }

/** With the type of the channel that leads there. */
export const LOOP_UPSTREAMS = {
  openai: { type: 1, provider: openai },
  claude: { type: 14, provider: claude },
  gemini: { type: 24, provider: gemini },
  bedrock: { type: 33, provider: bedrock },
  deepseek: { type: 43, provider: { ...openai, model: 'deepseek-reasoner' } },
  'vertex-claude': { type: 41, provider: claude },
  'vertex-gemini': { type: 41, provider: gemini },
  'vertex-llama': { type: 41, provider: llama },
} as const satisfies Readonly<Record<string, { type: number; provider: LoopUpstream }>>
