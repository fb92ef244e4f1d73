import type { ServerResponse } from 'node:http'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { FAILING_CHANNELS } from '../support/relay/failing-upstreams.ts'
import { googleUnderTest } from '../support/relay/google-under-test.ts'
import {
  eventually,
  KEY,
  startAfresh,
  startRelay,
  startUpstream,
} from '../support/relay/relay-under-test.ts'

/**
 * Upstreams that answer at once where a stream was asked for, through the whole relay: the vendors' SDKs read the answer
 * as a stream, and it is charged by its own usage.
 */
const relay = await startRelay()
const upstream = await startUpstream()
afterAll(async () => {
  relay.app.server.closeAllConnections()
  await relay.close()
  await upstream.close()
})
const google = googleUnderTest()

/** More than is read on the serving thread, and in several pieces; its characters are of one to four bytes. */
const LONG = 'Grüezi 水 🌊 '.repeat(4_000)
const THOUGHT = 'I look both up.'
const SIGNATURE = Buffer.from('a signature of a thought, long enough').toString('base64')
const INPUTS = [{ city: 'Zürich' }, { zone: 'CET' }] as const
/** A report far below our own count would not be believed. */
const USAGE = { input: 100, output: 30_000 } as const
const TOTAL = USAGE.input + USAGE.output

const chatAnswer = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'gpt-5-mini',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: LONG,
        reasoning_content: THOUGHT,
        refusal: null,
        annotations: [],
        tool_calls: INPUTS.map((input, index) => ({
          id: `call_${index}`,
          type: 'function',
          function: { name: 'look', arguments: JSON.stringify(input) },
        })),
      },
      logprobs: { content: [{ token: 'Gr', logprob: -0.1, bytes: [71], top_logprobs: [] }] },
      finish_reason: 'tool_calls',
    },
  ],
  usage: { prompt_tokens: USAGE.input, completion_tokens: USAGE.output, total_tokens: TOTAL },
}
const claudeAnswer = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [
    { type: 'thinking', thinking: THOUGHT, signature: SIGNATURE },
    { type: 'text', text: LONG },
    ...INPUTS.map((input, index) => ({
      type: 'tool_use',
      id: `toolu_${index}`,
      name: 'look',
      input,
    })),
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: USAGE.input, output_tokens: USAGE.output },
}
const geminiAnswer = {
  candidates: [
    {
      content: {
        role: 'model',
        parts: [
          { text: THOUGHT, thought: true },
          { text: LONG },
          ...INPUTS.map((args, index) => ({
            functionCall: { id: `fc_${index}`, name: 'look', args },
            thoughtSignature: SIGNATURE,
          })),
        ],
      },
      finishReason: 'STOP',
      index: 0,
    },
  ],
  usageMetadata: {
    promptTokenCount: USAGE.input,
    candidatesTokenCount: USAGE.output,
    totalTokenCount: TOTAL,
  },
  modelVersion: 'gemini-3-pro',
  responseId: 'rsp-1',
}
const responsesAnswer = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_790_000_000,
  status: 'completed',
  model: 'gpt-5-mini',
  output: [
    {
      id: 'rs_1',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: THOUGHT }],
      encrypted_content: SIGNATURE,
    },
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: LONG, annotations: [], logprobs: [] }],
    },
    ...INPUTS.map((input, index) => ({
      id: `fc_${index}`,
      type: 'function_call',
      status: 'completed',
      call_id: `call_${index}`,
      name: 'look',
      arguments: JSON.stringify(input),
    })),
  ],
  usage: { input_tokens: USAGE.input, output_tokens: USAGE.output, total_tokens: TOTAL },
}

/** The answer of the provider at an address. */
function wholeAt(path: string): object {
  if (path.startsWith('/v1/responses')) return responsesAnswer
  if (path.startsWith('/model/') || /^\/v1\/messages|awPredict/.test(path)) return claudeAnswer
  return path.includes('enerateContent') ? geminiAnswer : chatAnswer
}

/** The contents of an answer as its SDK puts them together, and the number of pieces of its text. */
interface Seen {
  readonly text: string
  readonly thought: string
  readonly inputs: readonly unknown[]
  readonly usage: readonly unknown[]
  readonly pieces: number
}
const NAMED = { apiKey: `sk-${KEY}`, maxRetries: 0 }
const ASKED = [{ role: 'user' as const, content: 'hi' }]

const CLIENTS: Readonly<Record<string, (model: string) => Promise<Seen>>> = {
  async openai(model) {
    const { completions } = new OpenAI({ ...NAMED, baseURL: `${relay.url}/v1` }).chat
    const stream = completions.stream({
      model,
      messages: ASKED,
      stream_options: { include_usage: true },
    })
    let [pieces, thought] = [0, '']
    for await (const { choices } of stream) {
      const delta: { content?: string | null; reasoning_content?: string } = choices[0]?.delta ?? {}
      if (delta.content) pieces += 1
      thought += delta.reasoning_content ?? ''
    }
    const { choices, usage } = await stream.finalChatCompletion()
    const message = choices[0]?.message
    const calls = (message?.tool_calls ?? []).map(({ function: made }) => made)
    expect(choices[0]?.finish_reason).toBe('tool_calls')
    return {
      text: message?.content ?? '',
      thought,
      inputs: calls.map((made) => JSON.parse(made.arguments) as unknown),
      usage: [usage?.prompt_tokens, usage?.completion_tokens],
      pieces,
    }
  },
  async responses(model) {
    const { responses } = new OpenAI({ ...NAMED, baseURL: `${relay.url}/v1` })
    const stream = responses.stream({ model, input: 'hi' })
    let [pieces, thought] = [0, '']
    for await (const event of stream) {
      if (event.type === 'response.output_text.delta') pieces += 1
      if (event.type === 'response.reasoning_summary_text.delta') thought += event.delta
    }
    const { output, output_text: text, usage } = await stream.finalResponse()
    const calls = output.filter((item) => item.type === 'function_call')
    return {
      text,
      thought,
      inputs: calls.map((made) => JSON.parse(made.arguments) as unknown),
      usage: [usage?.input_tokens, usage?.output_tokens],
      pieces,
    }
  },
  async claude(model) {
    const { messages } = new Anthropic({ ...NAMED, baseURL: relay.url })
    const stream = messages.stream({ model, max_tokens: 4_000, messages: ASKED })
    let pieces = 0
    stream.on('text', () => void (pieces += 1))
    const { content, usage, stop_reason } = await stream.finalMessage()
    expect(stop_reason).toBe('tool_use')
    return {
      text: content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(''),
      thought: content.flatMap((one) => (one.type === 'thinking' ? [one.thinking] : [])).join(''),
      inputs: content.flatMap((block) => (block.type === 'tool_use' ? [block.input] : [])),
      usage: [usage.input_tokens, usage.output_tokens],
      pieces,
    }
  },
  async gemini(model) {
    const httpOptions = { baseUrl: relay.url }
    const { models } = new GoogleGenAI({ apiKey: `sk-${KEY}`, httpOptions })
    const frames = await models.generateContentStream({ model, contents: 'hi' })
    const parts = []
    let usage: readonly unknown[] = []
    for await (const { candidates, usageMetadata: told } of frames) {
      parts.push(...(candidates?.[0]?.content?.parts ?? []))
      if (told !== undefined) usage = [told.promptTokenCount, told.candidatesTokenCount]
    }
    const texts = parts.filter(({ thought, text }) => thought !== true && text !== undefined)
    return {
      text: texts.map(({ text }) => text).join(''),
      thought: parts.map(({ text, thought }) => (thought === true ? (text ?? '') : '')).join(''),
      inputs: parts.flatMap(({ functionCall: made }) => (made === undefined ? [] : [made.args])),
      usage,
      pieces: texts.length,
    }
  },
}

const CHANNELS = Object.entries(FAILING_CHANNELS)
beforeEach(() => {
  startAfresh(relay, upstream)
  relay.directory.channels.clear()
  for (const [index, [, { type, model }]] of CHANNELS.entries()) {
    const terms = {
      type,
      models: [model],
      baseUrl: upstream.url,
      other: type === 41 ? 'us-east5' : '',
    }
    const keys = new Map<number, string>([
      [33, 'AKIDEXAMPLE|wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY|us-east-1'],
      [41, google.key(upstream.url)],
    ])
    relay.directory.add(index + 1, terms, { key: keys.get(type) ?? 'upstream-key' })
  }
  const ratios = (ratio: number): string =>
    JSON.stringify(Object.fromEntries(CHANNELS.map(([, { model }]) => [model, ratio])))
  relay.directory.set({ RetryTimes: '0', ModelRatio: ratios(1), CompletionRatio: ratios(3) })
  upstream.behave((response, asked) => {
    if (!google.answersToken(response, asked)) answer(response, wholeAt(asked.path))
  })
})

const answer = (response: ServerResponse, body: object): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const PAIRS = Object.keys(CLIENTS).flatMap((client) =>
  CHANNELS.map(([name, { model }]) => [client, name, model] as const),
)

test.each(PAIRS)(
  'given a %s client that asks %s for a stream, when it answers whole, then its SDK reads a stream',
  async (client, name, model) => {
    const seen = await CLIENTS[client]?.(model)
    // A difference of texts this long would fill the report.
    expect({ ...seen, text: seen?.text === LONG }).toMatchObject({
      text: true,
      thought: THOUGHT,
      inputs: INPUTS,
      usage: [USAGE.input, USAGE.output],
    })
    // A frame of Google's is as long as its answer.
    const isOneFrame = name.endsWith('gemini')
    expect(seen?.pieces).toBeGreaterThanOrEqual(isOneFrame ? 1 : 5)
    await eventually(() => relay.holds.settled.length === 1)
    expect(relay.failures).toEqual([])
    expect(relay.holds.settled).toMatchObject([
      {
        amount: USAGE.input + 3 * USAGE.output,
        request: { stream: true, estimated: false, cancelled: false },
      },
    ])
  },
)
