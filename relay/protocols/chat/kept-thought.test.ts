import { expect, test } from 'vitest'
import { isThought as isClaudeThought } from '../claude/write-chat.ts'
import { isThought as isSignedCall } from '../gemini/write-chat.ts'
import type { ChatPart } from './chat-part.ts'
import type { Block, Turn } from './chat-request.ts'
import { bareCalls, type ThoughtBlock, thoughtsIn, withThoughts } from './kept-thought.ts'

const call = (id: string, more: { signature?: string } = {}): Block => ({
  type: 'tool-call',
  id,
  name: 'add',
  input: {},
  ...more,
})
const reasoning = (said: string): ThoughtBlock => ({
  type: 'reasoning',
  text: said,
  signature: `of ${said}`,
})
const text: Block = { type: 'text', text: 'Let me see.', cache: null }
const turn = (...blocks: Block[]): Turn => ({ role: 'assistant', blocks })

test('given thoughts between calls, when read, then each call has what stands right before it', () => {
  const parts: readonly ChatPart[] = [
    { type: 'begin', id: 'm', model: 'x' },
    { type: 'redacted', block: 0, data: 'hidden' },
    { type: 'open', block: 1, kind: 'reasoning' },
    { type: 'delta', block: 1, text: 'on' },
    { type: 'delta', block: 1, text: 'e' },
    { type: 'close', block: 1, signature: 'of one' },
    { type: 'open', block: 2, kind: 'tool-call', id: 'a', name: 'add' },
    { type: 'delta', block: 2, text: '{}' },
    { type: 'close', block: 2, signature: '' },
    { type: 'open', block: 3, kind: 'tool-call', id: 'b', name: 'add' },
    { type: 'open', block: 4, kind: 'reasoning' },
    { type: 'delta', block: 4, text: 'unsigned' },
    { type: 'close', block: 4, signature: '' },
    { type: 'open', block: 5, kind: 'tool-call', id: 'c', name: 'add', signature: 'own' },
  ]
  expect(thoughtsIn(parts)).toEqual(
    new Map([
      ['a', { blocks: [{ type: 'redacted', data: 'hidden' }, reasoning('one')], signature: '' }],
      ['c', { blocks: [], signature: 'own' }],
    ]),
  )
})

test('given kept thoughts, when put back, then they begin the turn or precede their call, once', () => {
  const kept = new Map([
    ['a', { blocks: [reasoning('one')], signature: '' }],
    ['b', { blocks: [reasoning('two')], signature: '' }],
  ])
  const turns = [turn(text, call('a'), call('b')), turn(reasoning('own'), call('a')), turn(text)]
  expect(bareCalls(turns, isClaudeThought)).toEqual(['a', 'b'])
  expect(withThoughts(turns, kept, isClaudeThought)).toEqual([
    turn(reasoning('one'), text, call('a'), reasoning('two'), call('b')),
    turns[1],
    turns[2],
  ])
})

test('given a kept signature of a call, when put back, then the call has it, unless one of its turn does', () => {
  const kept = new Map([['a', { blocks: [], signature: 'kept' }]])
  const turns = [turn(call('a'), call('b')), turn(call('a'), call('b', { signature: 'own' }))]
  expect(bareCalls(turns, isSignedCall)).toEqual(['a', 'b'])
  expect(withThoughts(turns, kept, isSignedCall)).toEqual([
    turn(call('a', { signature: 'kept' }), call('b')),
    turns[1],
  ])
})

test('given calls named as members of objects, when nothing is kept of them, then they stay', () => {
  const turns = [turn(call('constructor'), call('__proto__'))]
  const kept = new Map([['a', { blocks: [], signature: 'kept' }]])
  expect(withThoughts(turns, kept, isSignedCall)).toEqual(turns)
})
