import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { citationsOf, citedPages } from '@tollgate/tests/support/cited-pages.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isObject, type JsonObject } from '../../json.ts'
import type { ChatPart, FinishReason } from '../chat/chat-part.ts'
import type { Block } from '../chat/chat-request.ts'
import { readChat } from './read-chat.ts'
import { openedThought } from './thoughts.ts'
import { ResponseWriter, writeResponse } from './write-parts.ts'

/**
 * An answer that is written as a response is the same when its events are followed, and when its items are sent back.
 */
const text = fc.string({ minLength: 1, unit: 'grapheme' })
const pieces = fc.array(text, { minLength: 1, maxLength: 4 })
const said = fc.record({ kind: fc.constant('text' as const), pieces, pages: citedPages })
const drawn = fc.record({ kind: fc.constant('image' as const), base64: fc.base64String() })
const thought = fc.record({ kind: fc.constant('reasoning' as const), pieces, signature: text })
const hidden = fc.record({ kind: fc.constant('redacted' as const), data: text })
const call = fc.record({
  kind: fc.constant('tool-call' as const),
  id: text,
  name: text,
  input: fc.dictionary(
    text.filter((name) => name !== '__proto__'),
    text,
    { maxKeys: 3 },
  ),
})
const answers = fc.record({
  blocks: fc.array(fc.oneof(said, thought, hidden, call, drawn), { maxLength: 6 }),
  reason: fc.constantFrom<FinishReason>('stop', 'length', 'filtered'),
})
type Answer = typeof answers extends fc.Arbitrary<infer Made> ? Made : never
type Written = Answer['blocks'][number]

function partsOf({ blocks, reason }: Answer): readonly ChatPart[] {
  const isCalled = blocks.some(({ kind }) => kind === 'tool-call')
  return [
    { type: 'begin', id: 'a', model: 'm' },
    ...blocks.flatMap(partsOfBlock),
    { type: 'finish', reason: isCalled && reason === 'stop' ? 'tool-calls' : reason },
  ]
}

function partsOfBlock(one: Written, block: number): readonly ChatPart[] {
  if (one.kind === 'redacted') return [{ type: 'redacted', block, data: one.data }]
  if (one.kind === 'image') {
    return [{ type: 'image', block, mime: 'image/png', base64: one.base64 }]
  }
  const { kind } = one
  const signature = kind === 'reasoning' ? one.signature : ''
  const deltas = kind === 'tool-call' ? [JSON.stringify(one.input)] : one.pieces
  return [
    kind === 'tool-call'
      ? { type: 'open', block, kind, id: one.id, name: one.name }
      : { type: 'open', block, kind },
    ...deltas.map((delta) => ({ type: 'delta' as const, block, text: delta })),
    ...(kind === 'text' ? citationsOf(block, one.pieces, one.pages) : []),
    { type: 'close', block, signature },
  ]
}

const eventsIn = (written: string): readonly JsonObject[] =>
  written
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line): unknown => JSON.parse(line.slice('data: '.length)))
    .filter(isObject)

/** As a client follows the events. */
function partsIn(events: readonly JsonObject[]): readonly ChatPart[] {
  const parts: ChatPart[] = []
  let calls = 0
  for (const { type, output_index: index, item, delta, response, annotation } of events) {
    const block = Number(index)
    const { id, model, incomplete_details: incomplete } = isObject(response) ? response : {}
    const now = isObject(item) ? item : {}
    if (type === 'response.created') {
      parts.push({ type: 'begin', id: String(id).replace(/^resp_/, ''), model: String(model) })
    }
    if (isObject(annotation)) parts.push(citation(annotation, block))
    if (type === 'response.output_item.added' && !isHidden(now) && !isPicture(now)) {
      if (now['type'] === 'function_call') calls += 1
      parts.push(opened(now, block))
    }
    if (typeof delta === 'string') parts.push({ type: 'delta', block, text: delta })
    if (type === 'response.output_item.done') {
      const [signed] = now['type'] === 'reasoning' ? openedThought(now) : []
      if (signed?.type === 'redacted') {
        parts.push({ type: 'redacted', block, data: signed.data })
      } else if (isPicture(now)) {
        parts.push({ type: 'image', block, mime: 'image/png', base64: String(now['result']) })
      } else {
        const signature = signed?.type === 'reasoning' ? signed.signature : ''
        parts.push({ type: 'close', block, signature })
      }
    }
    if (type === 'response.completed') {
      parts.push({ type: 'finish', reason: calls > 0 ? 'tool-calls' : 'stop' })
    }
    if (type === 'response.incomplete') {
      const isLong = isObject(incomplete) && incomplete['reason'] === 'max_output_tokens'
      parts.push({ type: 'finish', reason: isLong ? 'length' : 'filtered' })
    }
  }
  return parts
}

const isHidden = (item: JsonObject): boolean =>
  item['type'] === 'reasoning' && openedThought(item).some(({ type }) => type === 'redacted')

const isPicture = ({ type }: JsonObject): boolean => type === 'image_generation_call'

const citation = (
  { start_index: start, end_index: end, url, title }: JsonObject,
  block: number,
): ChatPart => ({
  type: 'citation',
  block,
  url: String(url),
  title: String(title),
  start: Number(start),
  end: Number(end),
})

function opened({ type, call_id: id, name }: JsonObject, block: number): ChatPart {
  if (type === 'function_call') {
    return { type: 'open', block, kind: 'tool-call', id: String(id), name: String(name) }
  }
  return { type: 'open', block, kind: type === 'reasoning' ? 'reasoning' : 'text' }
}

test('given any answer, when written as events and followed, then it is the same', () => {
  fc.assert(
    fc.property(answers, (answer) => {
      const parts = partsOf(answer)
      const writer = new ResponseWriter(1)
      const written = parts.map((part) => writer.part(part)).join('')
      const events = eventsIn(written + writer.closing(NO_USAGE))
      expect(partsIn(events)).toEqual(parts)
      expect(events.map((event) => event['sequence_number'])).toEqual(events.map((_, at) => at))
      const { response } = events.at(-1) ?? {}
      expect(response).toEqual(writeResponse(parts, NO_USAGE, 1))
    }),
  )
})

test('given any answer, when its items are sent back, then the turn has the same blocks', () => {
  fc.assert(
    fc.property(answers, (answer) => {
      const blocks = answer.blocks.filter((block) => block.kind !== 'image')
      const { output } = writeResponse(partsOf({ ...answer, blocks }), NO_USAGE, 1)
      const items = Array.isArray(output) ? output : []
      const user = { type: 'message', role: 'user', content: 'hello' }
      const { turns } = readChat({ model: 'm', input: [user, ...items] })
      const sent = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.blocks : []))
      expect(sent).toEqual(blocks.map(blockOf))
    }),
  )
})

/** Tools whose calls are other items than those of functions. */
const NAMES = {
  say: { name: 'say', kind: 'custom' },
  crm__say: { name: 'say', namespace: 'crm', kind: 'custom' },
  crm__look: { name: 'look', namespace: 'crm', kind: 'function' },
  tool_search: { name: 'tool_search', kind: 'search' },
} as const
const inputs = fc.record({
  name: fc.constantFrom('say', 'crm__say', 'crm__look', 'tool_search'),
  text,
})

test('given calls of tools with other names, when sent back, then the turn has the same calls', () => {
  fc.assert(
    fc.property(fc.array(inputs, { minLength: 1, maxLength: 4 }), (calls) => {
      const blocks = calls.map(({ name, text: said }, at) => {
        return { kind: 'tool-call' as const, id: `c${at}`, name, input: { input: said } }
      })
      const parts = partsOf({ blocks, reason: 'stop' })
      const { output } = writeResponse(parts, NO_USAGE, 1, NAMES)
      const items = Array.isArray(output) ? output : []
      expect(items.map((item) => item['type'])).toEqual(
        calls.map(({ name }) => CALL_TYPES[NAMES[name].kind]),
      )
      const { turns } = readChat({ model: 'm', input: [{ role: 'user', content: 'hi' }, ...items] })
      expect(turns[1]?.blocks).toEqual(blocks.map(blockOf))
      const writer = new ResponseWriter(1, NAMES)
      const written = parts.map((part) => writer.part(part)).join('')
      const events = eventsIn(written + writer.closing(NO_USAGE))
      expect(events.at(-1)?.['response']).toMatchObject({ output: items })
      const pieces = events.filter(({ type }) => type === 'response.custom_tool_call_input.delta')
      const texts = calls.filter(({ name }) => name.endsWith('say')).map((one) => one.text)
      expect(pieces.map(({ delta }) => delta)).toEqual(texts)
    }),
  )
})
const CALL_TYPES = {
  custom: 'custom_tool_call',
  function: 'function_call',
  search: 'tool_search_call',
} as const

function blockOf(one: Exclude<Written, { kind: 'image' }>): Block {
  switch (one.kind) {
    case 'text':
      return { type: 'text', text: one.pieces.join(''), cache: null }
    case 'reasoning':
      return { type: 'reasoning', text: one.pieces.join(''), signature: one.signature }
    case 'redacted':
      return { type: 'redacted', data: one.data }
    case 'tool-call':
      return { type: 'tool-call', id: one.id, name: one.name, input: one.input }
    default:
      return one satisfies never
  }
}
