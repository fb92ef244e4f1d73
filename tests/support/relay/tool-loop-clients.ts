import { isObject, type JsonObject, parseForeign } from '@tollgate/relay/json.ts'
import { KEY } from './relay-under-test.ts'

/**
 * For tests: how a client of a protocol runs a loop of one tool, by hand, and the parts of each answer that it sends
 * back.
 */
export interface LoopClient {
  path(model: string, stream: boolean): string
  readonly headers: Readonly<Record<string, string>>
  /** The next request; `echoes`: answers go back with all that was in them, else without thoughts and signatures. */
  body(model: string, question: string, rounds: readonly Round[], options: Options): JsonObject
  read(text: string, stream: boolean): Answered
}
export interface Options {
  readonly stream: boolean
  readonly echoes: boolean
}
/** A call that was answered with `sum <n>`. */
export interface Round {
  readonly answered: Answered
  readonly result: string
}
export interface Answered {
  readonly call: { readonly id: string; readonly n: number } | null
  readonly text: string
  /** As the protocol has it: the message, its content, parts or items. */
  readonly raw: unknown
}

const objects = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []
const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const nOf = (input: unknown): number => Number(objectOf(input)['n'])
const parsed = (text: string): JsonObject => objectOf(parseForeign(text))
export const eventsIn = (text: string): readonly JsonObject[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => parsed(line.slice('data: '.length)))

const SCHEMA = { type: 'object', properties: { n: { type: 'number' } } }

const openai: LoopClient = {
  path: () => '/v1/chat/completions',
  headers: {},
  body: (model, question, rounds, { stream, echoes }) => ({
    model,
    stream,
    max_tokens: 4_000,
    reasoning_effort: 'high',
    tools: [{ type: 'function', function: { name: 'add', parameters: SCHEMA } }],
    messages: [
      { role: 'user', content: question },
      ...rounds.flatMap(({ answered: { call, raw }, result }) => [
        echoes
          ? raw
          : {
              role: 'assistant',
              content: null,
              tool_calls: [
                {
                  id: call?.id,
                  type: 'function',
                  function: { name: 'add', arguments: JSON.stringify({ n: call?.n }) },
                },
              ],
            },
        { role: 'tool', tool_call_id: call?.id, content: result },
      ]),
    ],
  }),
  read(text, stream) {
    const message = stream
      ? joinedDeltas(text)
      : objectOf(objectOf(objects(parsed(text)['choices'])[0])['message'])
    const [call] = objects(message['tool_calls'])
    const made = objectOf(call?.['function'])
    return {
      call:
        call === undefined
          ? null
          : { id: textOf(call['id']), n: nOf(parsed(textOf(made['arguments']))) },
      text: textOf(message['content']),
      raw: message,
    }
  },
}

function joinedDeltas(text: string): JsonObject {
  const made = { role: 'assistant', content: '', reasoning_details: [] as unknown[] }
  let call: JsonObject | null = null
  let json = ''
  for (const chunk of eventsIn(text)) {
    const delta = objectOf(objects(chunk['choices'])[0]?.['delta'])
    made.content += textOf(delta['content'])
    made.reasoning_details.push(...objects(delta['reasoning_details']))
    for (const one of objects(delta['tool_calls'])) {
      call ??= one
      json += textOf(objectOf(one['function'])['arguments'])
    }
  }
  if (call === null) return made
  const { index: _, ...named } = call
  const called = { ...named, function: { name: 'add', arguments: json } }
  return { ...made, content: null, tool_calls: [called] }
}

const claude: LoopClient = {
  path: () => '/v1/messages',
  headers: { 'x-api-key': `sk-${KEY}` },
  body: (model, question, rounds, { stream, echoes }) => ({
    model,
    stream,
    max_tokens: 4_000,
    thinking: { type: 'enabled', budget_tokens: 2_000 },
    tools: [{ name: 'add', input_schema: SCHEMA }],
    messages: [
      { role: 'user', content: question },
      ...rounds.flatMap(({ answered: { call, raw }, result }) => [
        {
          role: 'assistant',
          content: echoes
            ? raw
            : [{ type: 'tool_use', id: call?.id, name: 'add', input: { n: call?.n } }],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: call?.id, content: result }],
        },
      ]),
    ],
  }),
  read(text, stream) {
    const content = stream ? joinedBlocks(text) : objects(parsed(text)['content'])
    const call = content.find(({ type }) => type === 'tool_use')
    const said = content.find(({ type }) => type === 'text')
    return {
      call: call === undefined ? null : { id: textOf(call['id']), n: nOf(call['input']) },
      text: textOf(said?.['text']),
      raw: content,
    }
  },
}

function joinedBlocks(text: string): readonly JsonObject[] {
  const blocks = new Map<unknown, { block: JsonObject; json: string }>()
  for (const event of eventsIn(text)) {
    const { index, content_block: begun, delta } = event
    if (event['type'] === 'content_block_start') {
      blocks.set(index, { block: objectOf(begun), json: '' })
    }
    const open = blocks.get(index)
    if (event['type'] !== 'content_block_delta' || open === undefined) continue
    const { partial_json: json, type: _, ...more } = objectOf(delta)
    open.json += textOf(json)
    for (const [name, value] of Object.entries(more)) {
      open.block = { ...open.block, [name]: textOf(open.block[name]) + textOf(value) }
    }
  }
  return [...blocks.values()].map(({ block, json }) =>
    block['type'] === 'tool_use' ? { ...block, input: parsed(json) } : block,
  )
}

const gemini: LoopClient = {
  path: (model, stream) =>
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  headers: { 'x-goog-api-key': `sk-${KEY}` },
  body: (_model, question, rounds, { echoes }) => ({
    generationConfig: { maxOutputTokens: 4_000, thinkingConfig: { thinkingLevel: 'high' } },
    tools: [{ functionDeclarations: [{ name: 'add', parametersJsonSchema: SCHEMA }] }],
    contents: [
      { role: 'user', parts: [{ text: question }] },
      ...rounds.flatMap(({ answered: { call, raw }, result }) => [
        {
          role: 'model',
          parts: echoes
            ? raw
            : [{ functionCall: { id: call?.id, name: 'add', args: { n: call?.n } } }],
        },
        {
          role: 'user',
          parts: [{ functionResponse: { id: call?.id, name: 'add', response: { result } } }],
        },
      ]),
    ],
  }),
  read(text, stream) {
    const frames = stream ? eventsIn(text) : [parsed(text)]
    const parts = frames.flatMap((frame) =>
      objects(objectOf(objects(frame['candidates'])[0]?.['content'])['parts']),
    )
    const call = parts.map((part) => part['functionCall']).find(isObject)
    return {
      call: call === undefined ? null : { id: textOf(call['id']), n: nOf(call['args']) },
      text: parts
        .flatMap((part) => (part['thought'] === true ? [] : textOf(part['text'])))
        .join(''),
      raw: parts,
    }
  },
}

const responses: LoopClient = {
  path: () => '/v1/responses',
  headers: {},
  body: (model, question, rounds, { stream, echoes }) => ({
    model,
    stream,
    store: false,
    max_output_tokens: 4_000,
    reasoning: { effort: 'high' },
    tools: [{ type: 'function', name: 'add', parameters: SCHEMA }],
    input: [
      { role: 'user', content: question },
      ...rounds.flatMap(({ answered: { call, raw }, result }) => [
        ...(echoes
          ? objects(raw)
          : [
              {
                type: 'function_call',
                call_id: call?.id,
                name: 'add',
                arguments: JSON.stringify({ n: call?.n }),
              },
            ]),
        { type: 'function_call_output', call_id: call?.id, output: result },
      ]),
    ],
  }),
  read(text, stream) {
    const last = stream ? objectOf(eventsIn(text).at(-1)?.['response']) : parsed(text)
    const output = objects(last['output'])
    const call = output.find(({ type }) => type === 'function_call')
    const said = output.find(({ type }) => type === 'message')
    return {
      call:
        call === undefined
          ? null
          : { id: textOf(call['call_id']), n: nOf(parsed(textOf(call['arguments']))) },
      text: textOf(objects(said?.['content'])[0]?.['text']),
      raw: output,
    }
  },
}

/** One client for each protocol that clients speak. */
export const LOOP_CLIENTS = { openai, claude, gemini, responses } as const
