import { expect, test } from 'vitest'
import type { JsonObject } from '../../json.ts'
import { partsOf as claudeParts } from '../claude/read-parts.ts'
import { writeMessage } from '../claude/write-parts.ts'
import { writeAnswer } from '../gemini/write-parts.ts'
import { partsOf } from '../openai/read-parts.ts'
import { writeCompletion } from '../openai/write-parts.ts'
import { writeResponse } from '../responses/write-parts.ts'
import type { ChatPart } from './chat-part.ts'

/** Finish reason of an answer, in the words of each client's protocol. */
const openai = (parts: readonly ChatPart[]): unknown => writeCompletion(parts, null, 1)['choices']
const said = (finish_reason: string): unknown => [expect.objectContaining({ finish_reason })]
const gemini = (parts: readonly ChatPart[]): unknown => writeAnswer(parts, null)['candidates']
const google = (finishReason: string): unknown => [expect.objectContaining({ finishReason })]
const response = (reason: string | null): JsonObject =>
  reason === null
    ? { status: 'completed', incomplete_details: null }
    : { status: 'incomplete', incomplete_details: { reason } }

test.each<[reason: string, sequence: string | null, string, string, incomplete: string | null]>([
  ['end_turn', null, 'stop', 'STOP', null],
  ['stop_sequence', 'END', 'stop', 'STOP', null],
  ['pause_turn', null, 'stop', 'STOP', null],
  ['max_tokens', null, 'length', 'MAX_TOKENS', 'max_output_tokens'],
  ['model_context_window_exceeded', null, 'length', 'MAX_TOKENS', 'max_output_tokens'],
  ['refusal', null, 'content_filter', 'SAFETY', 'content_filter'],
])('given a message that ended by %s, when told to others, then by their word', (...row) => {
  const [reason, sequence, finish, candidate, incomplete] = row
  const stop = { stop_reason: reason, stop_sequence: sequence }
  const parts = claudeParts({ id: 'm', model: 'c', content: [], ...stop })
  expect(openai(parts)).toEqual(said(finish))
  expect(gemini(parts)).toEqual(google(candidate))
  expect(writeResponse(parts, null, 1)).toMatchObject(response(incomplete))
  expect(writeMessage(parts, null)).toMatchObject(stop)
})

const TEXT = { content: 'Hi' }
test.each<[choice: JsonObject, reason: string, sequence: string | null]>([
  [{ message: TEXT, finish_reason: 'stop' }, 'end_turn', null],
  [{ message: TEXT, finish_reason: 'stop', stop_reason: 'END' }, 'stop_sequence', 'END'],
  // A token of the end, and another provider's word of the reason.
  [{ message: TEXT, finish_reason: 'stop', stop_reason: 151_643 }, 'end_turn', null],
  [{ message: TEXT, finish_reason: 'stop', stop_reason: 'end_turn' }, 'end_turn', null],
  [{ message: TEXT, finish_reason: 'length', stop_reason: 'END' }, 'max_tokens', null],
  [{ message: TEXT, finish_reason: 'model_length' }, 'model_context_window_exceeded', null],
  [{ message: TEXT, finish_reason: 'content_filter' }, 'refusal', null],
  // The model declined in words of its own: an answer like any other.
  [{ message: { content: null, refusal: 'No.' }, finish_reason: 'stop' }, 'end_turn', null],
])(
  'given the choice %j, when told as a message, then it ended by %s',
  (choice, reason, sequence) => {
    const parts = partsOf({ id: 'c', model: 'g', choices: [choice] }, 0)
    expect(writeMessage(parts, null)).toMatchObject({
      stop_reason: reason,
      stop_sequence: sequence,
    })
  },
)
